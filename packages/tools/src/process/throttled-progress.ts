/** Hands on what a command prints a few times a second: the latest of it, so that a flood costs no more than a trickle. */
import { StringDecoder } from "node:string_decoder";

const INTERVAL_MS = 100;
const MAX_CHARS = 4000;

export type ThrottledProgress = { readonly add: (chunk: Buffer) => void; readonly flush: () => void };

export const createThrottledProgress = (progress: (text: string) => void): ThrottledProgress => {
  const decoder = new StringDecoder("utf8");
  let pending = "";
  let skipped = false;
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (pending !== "") progress(skipped ? `…${pending}` : pending);
    pending = "";
    skipped = false;
  };
  return {
    add: (chunk) => {
      // Of a large chunk only the end can be shown, so that only the end is decoded.
      const end = chunk.length > MAX_CHARS * 4 ? chunk.subarray(-MAX_CHARS * 4) : chunk;
      pending += decoder.write(end);
      if (pending.length > MAX_CHARS) {
        pending = pending.slice(-MAX_CHARS).toWellFormed();
        skipped = true;
      }
      timer ??= setTimeout(flush, INTERVAL_MS);
    },
    flush,
  };
};
