/** Shortens by taking over, not by rewording: what was called and the first lines of what came back. */
import type { Exchange } from "./conversation.ts";
import { clip } from "./wording.ts";

const MOST_CALLS = 30;
const LINES_A_RESULT = 4;

export const digestExchanges = (exchanges: readonly Exchange[]): string =>
  exchanges
    .slice(-MOST_CALLS)
    .map(({ tool, input, text, isError }) => {
      const lines = firstLines(text).map((line) => `  ${clip(line, 160)}`);
      return [`- ${tool} ${clip(JSON.stringify(input), 160)}${isError ? " (failed)" : ""}`, ...lines].join("\n");
    })
    .join("\n");

/** Of a transcript: who spoke, and the first lines of what was said. */
export const digestTranscript = (transcript: string, mostChars: number): string => {
  const kept: string[] = [];
  let chars = 0;
  for (const block of transcript.split(/\n\n(?=(?:user|assistant|result of [\w.-]+): )/)) {
    const lines = firstLines(block).map((line) => clip(line, 240));
    chars += lines.reduce((sum, line) => sum + line.length + 1, 0);
    if (chars > mostChars) break;
    kept.push(...lines);
  }
  return kept.join("\n");
};

const firstLines = (text: string): readonly string[] =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(0, LINES_A_RESULT);
