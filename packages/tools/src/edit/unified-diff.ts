/** The change of a file as a unified diff for a model to read, bounded in time and length. */
import { structuredPatch } from "diff";

export type FileChange = { readonly file: string; readonly before: string; readonly after: string };

const CONTEXT_LINES = 3;
const TIME_LIMIT_MS = 500;

export const toUnifiedDiff = ({ file, before, after }: FileChange, maxChars: number): string => {
  const patch = structuredPatch(file, file, unix(before), unix(after), "", "", {
    context: CONTEXT_LINES,
    timeout: TIME_LIMIT_MS,
  });
  if (!patch) return `[${file}: the change is too large to be shown]`;
  const lines = [`--- a/${file}`, `+++ b/${file}`];
  for (const { oldStart, oldLines, newStart, newLines, lines: body } of patch.hunks)
    lines.push(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...body);
  let chars = 0;
  const end = lines.findIndex((line) => (chars += line.length + 1) > maxChars);
  return end < 0 ? lines.join("\n") : [...lines.slice(0, end), `[${lines.length - end} more lines of the diff]`].join("\n");
};

const unix = (text: string): string => text.replaceAll("\r\n", "\n");
