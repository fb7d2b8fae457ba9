/** Hands on what a command prints a few times a second: the latest of it, so that a flood costs no more than a trickle. */

const INTERVAL_MS = 100;
const MAX_CHARS = 4000;
/** What that many characters can take. */
const MAX_BYTES = MAX_CHARS * 4;

export type ThrottledProgress = { readonly add: (chunk: Buffer) => void; readonly flush: () => void };

export const createThrottledProgress = (progress: (text: string) => void): ThrottledProgress => {
  /** The latest bytes. They are copied, not decoded, until they are handed on: a flood leaves nothing behind to be collected. */
  const latest = Buffer.alloc(MAX_BYTES);
  let length = 0;
  let skipped = false;
  let timer: NodeJS.Timeout | undefined;

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    // A character whose other bytes are still to come waits for them.
    const end = length - countUnfinished(latest, length);
    const start = skipped ? findCharacter(latest, end) : 0;
    const text = latest.toString("utf8", start, end);
    const isCut = skipped || text.length > MAX_CHARS;
    latest.copyWithin(0, end, length);
    length -= end;
    skipped = false;
    if (text !== "") progress(isCut ? `…${text.slice(-MAX_CHARS).toWellFormed()}` : text);
  };

  return {
    add: (chunk) => {
      const piece = chunk.length > MAX_BYTES ? chunk.subarray(-MAX_BYTES) : chunk;
      const over = length + piece.length - MAX_BYTES;
      if (over > 0) latest.copyWithin(0, over, length);
      skipped ||= over > 0 || piece.length < chunk.length;
      length = Math.min(length, MAX_BYTES - piece.length);
      length += piece.copy(latest, length);
      timer ??= setTimeout(flush, INTERVAL_MS);
    },
    flush,
  };
};

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Where the first whole character begins. */
const findCharacter = (bytes: Buffer, end: number): number => {
  let start = 0;
  while (start < Math.min(3, end) && isContinuation(bytes[start])) start += 1;
  return start;
};

/** How many bytes at the end are the beginning of a character. */
const countUnfinished = (bytes: Buffer, length: number): number => {
  let back = 1;
  while (back < Math.min(4, length) && isContinuation(bytes[length - back])) back += 1;
  const first = length === 0 ? 0 : (bytes[length - back] ?? 0);
  const wanted = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return wanted > back ? back : 0;
};
