/** A text of somebody else's as one line that is safe to print. */
import { toPrintable } from "../../terminal/printable.ts";
import type { Redact } from "../format-error.ts";

/** Longer texts are never shown whole on a line. */
const MOST_CHARS = 400;

export const toCell = (text: string, redact: Redact): string =>
  toPrintable(
    redact(text)
      .slice(0, MOST_CHARS)
      .replace(/(?:\r\n|[\n\t ])+/g, " ")
      .replace(/[\ud800-\udbff]$/, "")
      .trim(),
    "line",
  );
