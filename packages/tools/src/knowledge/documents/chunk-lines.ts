/** Cuts lines into chunks, at empty lines where there are some. */
import type { Chunk } from "./chunk.ts";
import { CHUNK_CHARS } from "./chunk.ts";

export type NumberedLine = { readonly number: number; readonly text: string };

export const toLines = (text: string): readonly NumberedLine[] =>
  text.split(/\r\n|\n|\r/).map((line, at) => ({ number: at + 1, text: line }));

export const chunkLines = (lines: readonly NumberedLine[], heading = ""): readonly Chunk[] => {
  const chunks: Chunk[] = [];
  let pending: NumberedLine[] = [];
  let chars = 0;
  const flush = (): void => {
    const [first] = pending;
    const last = pending.at(-1);
    const text = pending.map((line) => line.text).join("\n");
    if (first !== undefined && last !== undefined && text.trim() !== "")
      chunks.push({ heading, lines: { first: first.number, last: last.number }, text });
    pending = [];
    chars = 0;
  };
  for (const line of lines.flatMap(splitLong)) {
    const isGap = line.text.trim() === "";
    if (chars + line.text.length > CHUNK_CHARS || (isGap && chars > CHUNK_CHARS / 2)) flush();
    if (isGap && pending.length === 0) continue;
    pending.push(line);
    chars += line.text.length + 1;
  }
  flush();
  return chunks;
};

/** A line that is longer than a chunk becomes several, all with its number. */
const splitLong = (line: NumberedLine): readonly NumberedLine[] => {
  if (line.text.length <= CHUNK_CHARS) return [line];
  const pieces: NumberedLine[] = [];
  for (let at = 0; at < line.text.length; at += CHUNK_CHARS)
    pieces.push({ number: line.number, text: line.text.slice(at, at + CHUNK_CHARS).toWellFormed() });
  return pieces;
};
