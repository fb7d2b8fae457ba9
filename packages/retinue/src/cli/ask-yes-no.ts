/** A question at the terminal that only a yes answers with yes. Whoever leaves, by Ctrl-C or Ctrl-D, has not said it. */
import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import { dropTypeAhead } from "./type-ahead.ts";

export type YesNo = "yes" | "no" | "interrupted";

export const askYesNo = async (question: string, { input, output }: { input: Readable; output: Writable }): Promise<YesNo> => {
  const early = new AbortController();
  await dropTypeAhead(input, early.signal, () => early.abort()).catch(() => undefined);
  if (early.signal.aborted) return "interrupted";
  const terminal = createInterface({ input, output, terminal: true });
  const left = new AbortController();
  let isInterrupted = false;
  terminal.once("SIGINT", () => {
    isInterrupted = true;
    left.abort();
  });
  terminal.once("close", () => left.abort());
  try {
    return /^\s*y(?:es)?\s*$/i.test(await terminal.question(question, { signal: left.signal })) ? "yes" : "no";
  } catch {
    output.write("\n");
    return isInterrupted ? "interrupted" : "no";
  } finally {
    terminal.close();
  }
};
