/** Cuts Markdown into its sections, each under the headings that lead to it. */
import type { Chunk } from "./chunk.ts";
import type { NumberedLine } from "./chunk-lines.ts";
import { chunkLines, toLines } from "./chunk-lines.ts";

export type MarkdownChunks = { readonly title: string | undefined; readonly chunks: readonly Chunk[] };

const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

export const chunkMarkdown = (text: string): MarkdownChunks => {
  const path: { readonly level: number; readonly text: string }[] = [];
  const chunks: Chunk[] = [];
  let section: NumberedLine[] = [];
  let fence: string | undefined;
  let title: string | undefined;
  const flush = (): void => {
    chunks.push(...chunkLines(section, path.map((heading) => heading.text).join(" › ")));
    section = [];
  };
  for (const line of toLines(text)) {
    const mark = FENCE.exec(line.text)?.[1];
    if (mark !== undefined && (fence === undefined || (mark[0] === fence[0] && mark.length >= fence.length)))
      fence = fence === undefined ? mark : undefined;
    const [, signs, heading] = (fence === undefined ? HEADING.exec(line.text) : null) ?? [];
    if (signs !== undefined && heading !== undefined) {
      flush();
      while ((path.at(-1)?.level ?? 0) >= signs.length) path.pop();
      path.push({ level: signs.length, text: heading });
      title ??= heading;
    }
    section.push(line);
  }
  flush();
  return { title, chunks };
};
