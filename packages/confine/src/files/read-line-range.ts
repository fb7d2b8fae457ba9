/** Takes a range of lines out of a text of any size, holding no more of it than it gives back. */

export type Line = { readonly number: number; readonly text: string };

export type LineRange = {
  readonly lines: readonly Line[];
  /** How many lines there are; undefined where counting them was given up. */
  readonly total: number | undefined;
};

export type LineRangeRequest = {
  readonly chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Counts from 1. */
  readonly from: number;
  readonly count: number;
  readonly maxLineChars: number;
  /** No further line is taken once the lines, with their numbers, hold this many characters. */
  readonly maxChars: number;
  /** After the range, so many bytes more are read to count the lines. */
  readonly countBytes: number;
};

const NEWLINE = 0x0a;
/** What a line costs besides its text: its number, an arrow and the line break. */
const NUMBER_CHARS = 7;

export const readLineRange = async (request: LineRangeRequest): Promise<LineRange> => {
  const { from, count, maxLineChars, maxChars, countBytes } = request;
  const keepBytes = maxLineChars * 4;
  const lines: Line[] = [];
  let number = 1;
  let chars = 0;
  let full = false;
  let bytesAfter = 0;
  /** The beginning of the current line, and how long it really is. */
  let kept: Uint8Array[] = [];
  let keptBytes = 0;
  let lineBytes = 0;

  const inRange = (): boolean => !full && number >= from && number < from + count;
  const take = (piece: Uint8Array): void => {
    lineBytes += piece.length;
    if (!inRange() || keptBytes >= keepBytes) return;
    // A copy, so that a short line does not keep its whole chunk alive.
    const part = Uint8Array.prototype.slice.call(piece, 0, keepBytes - keptBytes);
    kept.push(part);
    keptBytes += part.length;
  };
  const endLine = (): void => {
    if (inRange()) {
      const text = toLineText({ bytes: Buffer.concat(kept), lineBytes, maxLineChars, first: number === 1 });
      if (lines.length > 0 && chars + text.length + NUMBER_CHARS > maxChars) full = true;
      else {
        lines.push({ number, text });
        chars += text.length + NUMBER_CHARS;
      }
    }
    number += 1;
    kept = [];
    keptBytes = 0;
    lineBytes = 0;
  };

  for await (const chunk of request.chunks) {
    const past = full || number >= from + count;
    if (past) {
      bytesAfter += chunk.length;
      if (bytesAfter > countBytes) return { lines, total: undefined };
    }
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      take(chunk.subarray(start, end));
      endLine();
      start = end + 1;
    }
    take(chunk.subarray(start));
  }
  if (lineBytes > 0) endLine();
  return { lines, total: number - 1 };
};

const toLineText = (line: { bytes: Buffer; lineBytes: number; maxLineChars: number; first: boolean }): string => {
  const whole = line.bytes.length === line.lineBytes;
  // In stream mode a character that was cut in two at the end is left out.
  let text = new TextDecoder("utf-8", { ignoreBOM: !line.first }).decode(line.bytes, { stream: !whole });
  if (whole && text.endsWith("\r")) text = text.slice(0, -1);
  if (whole && text.length <= line.maxLineChars) return text;
  const head = text.slice(0, line.maxLineChars).toWellFormed();
  return `${head} [… line cut, ${line.lineBytes} bytes long]`;
};
