/** What speaks against a run's own words: failing tests, claims that the record does not support, an answer that was cut. For people, as the last lines. */
import type { RunResult } from "@retinue/protocol";
import { findDoubts } from "@retinue/protocol";
import { toPrintable } from "../terminal/printable.ts";
import type { Redact } from "./format-error.ts";

const MOST = 10;

/** Empty where nothing does. */
export const formatDoubts = (result: RunResult, redact: Redact): string => {
  const all = [...findDoubts(result), ...result.warnings.filter((warning) => warning.includes("was cut off"))];
  const shown = all.slice(0, MOST).map((doubt) => toPrintable(redact(doubt), "line"));
  return [...shown, ...(all.length > MOST ? [`and ${all.length - MOST} more`] : [])]
    .map((line) => `retinue: doubtful: ${line}\n`)
    .join("");
};
