/**
 * JSON as small models write it: single quotes, trailing commas, Python's words, bare keys, line breaks inside strings.
 * Only what can mean one thing is read. Text that was cut off, that goes on behind its value, or that names a key twice is not.
 */
import type { Json } from "@retinue/protocol";

/** Undefined where it cannot be read without a doubt. */
export const parseLenient = (text: string): { readonly value: Json } | undefined => {
  const reader = new LenientReader(withoutFence(text));
  try {
    return { value: reader.readAll() };
  } catch (thrown) {
    if (thrown instanceof Doubt) return undefined;
    throw thrown;
  }
};

/** A value at the beginning of `text`, and where it ends. */
export const parseLeading = (text: string): { readonly value: Json; readonly end: number } | undefined => {
  const reader = new LenientReader(text);
  try {
    const value = reader.readValue(0);
    return { value, end: reader.at };
  } catch (thrown) {
    if (thrown instanceof Doubt) return undefined;
    throw thrown;
  }
};

const withoutFence = (text: string): string => /^\s*```\w*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;

class Doubt extends Error {}

const WORDS: Readonly<Record<string, Json>> = { true: true, false: false, null: null, True: true, False: false, None: null };
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };
const DEEPEST = 64;

class LenientReader {
  readonly #text: string;
  at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readAll(): Json {
    const value = this.readValue(0);
    this.#skipSpace();
    if (this.at < this.#text.length) throw new Doubt();
    return value;
  }

  readValue(depth: number): Json {
    if (depth > DEEPEST) throw new Doubt();
    this.#skipSpace();
    const next = this.#text[this.at];
    if (next === "{") return this.#readObject(depth);
    if (next === "[") return this.#readArray(depth);
    if (next === '"' || next === "'") return this.#readString(next);
    const [token] = this.#match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[A-Za-z]+/y);
    const value = Object.hasOwn(WORDS, token) ? WORDS[token] : Number(token);
    if (value === undefined || (typeof value === "number" && !Number.isFinite(value))) throw new Doubt();
    return value;
  }

  #readObject(depth: number): Json {
    const fields: Record<string, Json> = {};
    this.at++;
    for (;;) {
      this.#skipSpace();
      if (this.#take("}")) return fields;
      const quote = this.#text[this.at];
      const key = quote === '"' || quote === "'" ? this.#readString(quote) : this.#match(/[A-Za-z_]\w*/y)[0];
      this.#skipSpace();
      if (!this.#take(":") || Object.hasOwn(fields, key) || key === "__proto__") throw new Doubt();
      fields[key] = this.readValue(depth + 1);
      this.#skipSpace();
      if (!this.#take(",") && this.#text[this.at] !== "}") throw new Doubt();
    }
  }

  #readArray(depth: number): Json {
    const items: Json[] = [];
    this.at++;
    for (;;) {
      this.#skipSpace();
      if (this.#take("]")) return items;
      items.push(this.readValue(depth + 1));
      this.#skipSpace();
      if (!this.#take(",") && this.#text[this.at] !== "]") throw new Doubt();
    }
  }

  #readString(quote: string): string {
    let value = "";
    this.at++;
    for (;;) {
      const next = this.#text[this.at++];
      if (next === undefined) throw new Doubt();
      if (next === quote) break;
      if (next !== "\\") {
        value += next;
        continue;
      }
      const escaped = this.#text[this.at++];
      if (escaped === undefined) throw new Doubt();
      if (escaped === "u") value += String.fromCharCode(Number.parseInt(this.#match(/[\da-fA-F]{4}/y)[0], 16));
      // What is no escape of JSON is a doubt: a path of Windows, or a pattern.
      else if (escaped in ESCAPES) value += ESCAPES[escaped];
      else if (escaped === "\\" || escaped === "/" || escaped === '"' || escaped === "'") value += escaped;
      else throw new Doubt();
    }
    // A quote of the same kind within the text would have ended it too soon.
    if (!/^\s*(?:[,:\]}]|$)/.test(this.#text.slice(this.at, this.at + 200))) throw new Doubt();
    return value;
  }

  #skipSpace(): void {
    while (/\s/.test(this.#text[this.at] ?? "")) this.at++;
  }

  #take(character: string): boolean {
    if (this.#text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text);
    if (!found) throw new Doubt();
    this.at = pattern.lastIndex;
    return found;
  }
}
