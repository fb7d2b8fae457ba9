/** The result of a run to stdout: drawn at a terminal as the Markdown that agents write; what follows a schema of its own stays as it is. */
import type { RunResult } from "@retinue/protocol";
import { writeMarkdown } from "../live/write-markdown.ts";
import type { Surroundings } from "../surroundings.ts";
import { formatResult } from "./format-result.ts";

export const writeResult = (result: RunResult, surroundings: Surroundings): Promise<void> => {
  const text = formatResult(result, surroundings.redact);
  return result.output === undefined ? writeMarkdown(text, surroundings) : surroundings.stdout.write(text);
};
