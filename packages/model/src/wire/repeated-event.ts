/**
 * Streams say the same event again and again with another piece of text in it. Once such an event was read whole, the next ones are told by what stands
 * around their text, and only that is taken out: the same piece that parsing would give, at a fraction of its cost.
 */
import type { JsonRecord } from "./parsed.ts";
import { parseRecord } from "./parsed.ts";

export type RepeatedEvent = {
  /** The text of an event that differs from the last one learnt in nothing else; undefined where it may. */
  readonly textOf: (data: string) => string | undefined;
  /** What was read of an event that is none of those. */
  readonly learn: (data: string, event: JsonRecord) => void;
};

export type RepeatedEventOptions = {
  /** What stands before the text. */
  readonly opening: RegExp;
  /** The text of an event that says nothing else. */
  readonly read: (event: JsonRecord) => string | undefined;
};

/** Where one event after the other differs in more than its text, as those of providers do that pad them, looking is given up. */
const MOST_IN_VAIN = 8;
/** Short answers are read whole: learning costs more than it saves. */
const READ_FIRST = 3;
const PROBE = "[retinue]";

export const createRepeatedEvent = ({ opening, read }: RepeatedEventOptions): RepeatedEvent => {
  let before = "";
  let after = "";
  let inVain = 0;
  let wasRead = 0;
  return {
    textOf: (data) => {
      if (before === "" || !data.startsWith(before) || !data.endsWith(after)) return undefined;
      const end = data.length - after.length;
      if (end < before.length) return undefined;
      const text = data.slice(before.length, end);
      if (!isPlain(text)) return undefined;
      inVain = 0;
      return text;
    },
    learn: (data, event) => {
      if (inVain >= MOST_IN_VAIN || ++wasRead <= READ_FIRST) return;
      const text = read(event);
      const found = text === undefined ? null : opening.exec(data);
      if (text === undefined || found === null) return;
      inVain += 1;
      const start = found.index + found[0].length;
      if (!isPlain(text) || !data.startsWith(`${text}"`, start)) return;
      const [head, tail] = [data.slice(0, start), data.slice(start + text.length)];
      const alike = parseRecord(head + PROBE + tail);
      if (alike === undefined || read(alike) !== PROBE) return;
      [before, after] = [head, tail];
    },
  };
};

/** Whether a text stands in JSON as it is: nothing in it is spelt otherwise, or ends it. */
const isPlain = (text: string): boolean => {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < SPACE || code === QUOTE || code === BACKSLASH) return false;
  }
  return true;
};

const SPACE = 32;
const QUOTE = 34;
const BACKSLASH = 92;
