/** The text of a PDF, page by page. */
import { RetinueError } from "@retinue/protocol";
import type { PdfOptions, PdfReading } from "./pdf-to-text.ts";
import { runParser } from "./run-parser.ts";

/** Within the first time pages are read; within the second there must be an answer. */
const READING_MS = 8_000;
const TIME_LIMIT_MS = 15_000;

export const readPdf = async (options: Omit<PdfOptions, "timeMs">, signal: AbortSignal): Promise<PdfReading> => {
  const end = await runParser<PdfReading>({
    request: { type: "pdf", ...options, timeMs: READING_MS },
    timeLimitMs: TIME_LIMIT_MS,
    signal,
  });
  switch (end.type) {
    case "done":
      return end.value;
    case "limit":
      throw new RetinueError("tool_failed", `The PDF cannot be read within the ${end.limit} for it.`, {
        hint: "Look for the same text as a web page.",
      });
    case "failed":
      throw new RetinueError("tool_failed", `The PDF cannot be read: ${toReason(end.message)}`, {
        hint: "It may be damaged, or locked by a password.",
      });
    default:
      return end satisfies never;
  }
};

const toReason = (message: string): string => {
  const reason = message.replaceAll(/\s+/g, " ").slice(0, 200);
  return /[.!?]$/.test(reason) ? reason : `${reason}.`;
};
