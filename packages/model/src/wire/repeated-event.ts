/**
 * Streams say the same event again and again with another piece of text in it. Once such an event was read whole, the next ones are told by what stands
 * around their text, and only that is taken out: the same piece that parsing would give, at a fraction of its cost.
 */
import type { JsonRecord } from "./parsed.ts";
import { parseRecord } from "./parsed.ts";

export type RepeatedEventOptions = {
  /** What stands before the text, up to its quote. */
  readonly opening: RegExp;
  /** The text of an event that says nothing else. */
  readonly read: (event: JsonRecord) => string | undefined;
};

/** Where one event after the other differs in more than its text, as those of providers do that pad them, looking is given up. */
const MOST_IN_VAIN = 8;
const PROBE = "[retinue]";

/** A class, since nearly every answer has two. */
export class RepeatedEvent {
  readonly #options: RepeatedEventOptions;
  #before = "";
  #after = "";
  #inVain = 0;

  constructor(options: RepeatedEventOptions) {
    this.#options = options;
  }

  /** The text of an event that differs from the last one learnt in nothing else; undefined where it may. */
  textOf(data: string): string | undefined {
    const before = this.#before;
    const after = this.#after;
    const start = before.length;
    const end = data.length - after.length;
    // Most events that are none of those are told by one character: no text begins there.
    if (start === 0 || end < start || data.charCodeAt(start - 1) !== QUOTE) return undefined;
    if (!data.startsWith(before) || !data.endsWith(after)) return undefined;
    const text = readString(data, start, end);
    if (text !== undefined) this.#inVain = 0;
    return text;
  }

  /** What was read of an event that is none of those; true where it is one to tell others by. */
  learn(data: string, event: JsonRecord): boolean {
    if (this.#inVain >= MOST_IN_VAIN) return false;
    const { opening, read } = this.#options;
    const text = read(event);
    const found = text === undefined ? null : opening.exec(data);
    if (found === null) return false;
    this.#inVain += 1;
    const start = found.index + found[0].length;
    const end = endOfString(data, start);
    if (readString(data, start, end) !== text) return false;
    const [head, tail] = [data.slice(0, start), data.slice(end)];
    const alike = parseRecord(head + PROBE + tail);
    if (alike === undefined || read(alike) !== PROBE) return false;
    [this.#before, this.#after] = [head, tail];
    return true;
  }
}

/** Where the quote stands that ends a string, or the end of the text. */
const endOfString = (data: string, start: number): number => {
  let at = start;
  while (at < data.length && data.charCodeAt(at) !== QUOTE) at += data.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return Math.min(at, data.length);
};

/** What stands between two quotes of JSON; undefined where that is no whole string. */
const readString = (data: string, start: number, end: number): string | undefined => {
  let isPlain = true;
  for (let at = start; at < end; at += 1) {
    const code = data.charCodeAt(at);
    if (code < SPACE || code === QUOTE) return undefined;
    if (code !== BACKSLASH) continue;
    isPlain = false;
    at += 1;
    if (at === end) return undefined;
  }
  const written = data.slice(start, end);
  return isPlain ? written : parseString(written);
};

const parseString = (written: string): string | undefined => {
  try {
    return JSON.parse(`"${written}"`) as string;
  } catch {
    return undefined;
  }
};

const SPACE = 32;
const QUOTE = 34;
const BACKSLASH = 92;
