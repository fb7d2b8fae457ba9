/** Markdown to stdout: drawn for a person at a terminal, as it was written for everybody else. */
import { toPrintable } from "../../terminal/printable.ts";
import { renderMarkdown } from "../../tui/draw/markdown-stream.ts";
import { coloursOf, encodeRow } from "../../tui/screen/row.ts";
import type { Surroundings } from "../surroundings.ts";
import { canLive } from "./can-live.ts";

/** Ends in a line break; a text of nothing writes nothing. */
export const writeMarkdown = async (text: string, { stdout, redact, env }: Surroundings): Promise<void> => {
  const known = redact(text);
  if (known.trim() === "") return;
  if (!canLive({ stderr: stdout, env })) {
    const printable = toPrintable(known, "prose");
    return stdout.write(printable.endsWith("\n") ? printable : `${printable}\n`);
  }
  const rows = renderMarkdown(known.trimEnd(), Math.max(20, (stdout.columns() || 80) - 1));
  await stdout.write(rows.map((one) => `${encodeRow(one, coloursOf(env))}\n`).join(""));
};
