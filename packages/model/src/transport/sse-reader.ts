/**
 * Server-sent events out of bytes, however they were cut: split characters, CRLF or LF, comments, data of many lines.
 * Stricter than browsers: a line that is no field of the format is a fault, not ignored, since a login page or a JSON
 * document would pass as an empty stream. What is held in memory stays below one event of `EVENT_CHARS` and one read.
 */
import { StringDecoder } from "node:string_decoder";

export const EVENT_CHARS = 16 * 1024 * 1024;

/** What the stream itself has wrong. `quote` is what stood there. */
export type SseFault = { readonly type: "garbage"; readonly quote: string } | { readonly type: "too-large" };

export type SseReader<Stop> = {
  /** Hands every event that is now whole to `onEvent`, and stops at what it returns. */
  readonly push: (bytes: Buffer) => SseFault | Stop | undefined;
  /** Whether anything but comments and empty lines came since it was asked last. */
  readonly spoke: () => boolean;
  /** What was left unread at the end of the stream. */
  readonly rest: () => string;
};

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const COLON = 58;
/** Bytes from here on belong to characters of several bytes. */
const FIRST_OF_MANY = 0x80;

export const createSseReader = <Stop>(onEvent: (name: string, data: string) => Stop | undefined): SseReader<Stop> =>
  new EventReader(onEvent);

/** A class, since every answer of a model has one. */
class EventReader<Stop> implements SseReader<Stop> {
  readonly #onEvent: (name: string, data: string) => Stop | undefined;
  /** Made when bytes first end in the middle of a character, or may do so. */
  #decoder: StringDecoder | undefined;
  /** The beginning of a line whose end has not come. */
  #rest = "";
  /** Whether the line of the rest is one. */
  #isComment = false;
  /** Data of the event under way; undefined while it has none. */
  #data: string | undefined;
  #name = "";
  #started = false;
  #spoke = false;

  constructor(onEvent: (name: string, data: string) => Stop | undefined) {
    this.#onEvent = onEvent;
  }

  push(bytes: Buffer): SseFault | Stop | undefined {
    let text = this.#decode(bytes);
    if (!this.#started && text !== "") {
      this.#started = true;
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    }
    let start = 0;
    let end = text.indexOf("\n");
    // The newline is looked for in what is new only; the rest is one rope that is flattened once.
    if (end !== -1 && this.#rest !== "") {
      const line = this.#rest + text.slice(0, end);
      this.#rest = "";
      const stop = this.#readLine(line, 0, line.length);
      if (stop !== undefined) return stop;
      start = end + 1;
      end = text.indexOf("\n", start);
    }
    while (end !== -1) {
      const stop = this.#readLine(text, start, end);
      if (stop !== undefined) return stop;
      start = end + 1;
      end = text.charCodeAt(start) === LINE_FEED ? start : text.indexOf("\n", start);
    }
    if (start < text.length) {
      // Not read off the rope, which would be flattened at every push.
      if (this.#rest.length === 0) this.#isComment = text.charCodeAt(start) === COLON;
      this.#rest += start === 0 ? text : text.slice(start);
      this.#spoke ||= !this.#isComment;
    }
    return this.#rest.length + (this.#data?.length ?? 0) > EVENT_CHARS ? { type: "too-large" } : undefined;
  }

  spoke(): boolean {
    const said = this.#spoke;
    this.#spoke = false;
    return said;
  }

  rest(): string {
    return this.#rest + (this.#decoder?.end() ?? "");
  }

  #decode(bytes: Buffer): string {
    return this.#decoder === undefined && (bytes.at(-1) ?? 0) < FIRST_OF_MANY
      ? bytes.toString("utf8")
      : (this.#decoder ??= new StringDecoder("utf8")).write(bytes);
  }

  /** The line of `text` from `start` to `end`, without its line feed. */
  #readLine(text: string, start: number, end: number): SseFault | Stop | undefined {
    const stop = end > start && text.charCodeAt(end - 1) === CARRIAGE_RETURN ? end - 1 : end;
    if (stop === start) return this.#endEvent();
    this.#spoke ||= text.charCodeAt(start) !== COLON;
    if (text.startsWith("data:", start)) {
      const value = text.slice(text.charCodeAt(start + 5) === SPACE ? start + 6 : start + 5, stop);
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
      return this.#data.length > EVENT_CHARS ? { type: "too-large" } : undefined;
    }
    if (text.startsWith("event:", start)) {
      this.#name = text.slice(text.charCodeAt(start + 6) === SPACE ? start + 7 : start + 6, stop);
      return undefined;
    }
    if (text.charCodeAt(start) === COLON || text.startsWith("id:", start) || text.startsWith("retry:", start)) return undefined;
    return { type: "garbage", quote: text.slice(start, Math.min(stop, start + 2000)) };
  }

  #endEvent(): Stop | undefined {
    const name = this.#name;
    const data = this.#data;
    this.#name = "";
    this.#data = undefined;
    return data === undefined ? undefined : this.#onEvent(name, data);
  }
}
