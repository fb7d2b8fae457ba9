/**
 * Text that says what is to be done (acts, diffs, paths, names), with every character that a reader would not see, or that moves others, as an
 * escape that can be told from the text around it.
 */
import type { Json } from "@retinue/protocol";
import { createPrintFilter } from "./printable.ts";

/** `isMark`: an escape in the place of a character. */
export type MarkedPart = { readonly text: string; readonly isMark: boolean };

const PLAIN = /^[\n\t\x20-\x7e]*$/;

/** Line breaks and tabs stay. */
export const toMarkedText = (text: string): readonly MarkedPart[] => {
  if (text === "") return [];
  if (PLAIN.test(text)) return [{ text, isMark: false }];
  const filter = createPrintFilter("line");
  const parts: { text: string; isMark: boolean }[] = [];
  for (const character of text) {
    const isKept = character === "\n" || character === "\t";
    const shown = isKept ? character : filter.push(character) + (/[\ud800-\udfff]/.test(character) ? filter.end() : "");
    if (isKept) filter.end();
    const last = parts.at(-1);
    const isMark = shown !== character;
    if (last !== undefined && !isMark && !last.isMark) last.text += shown;
    else parts.push({ text: shown, isMark });
  }
  return parts;
};

const KINDS: readonly (readonly [kind: string, is: RegExp])[] = [
  ["text direction", /^[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]$/],
  ["zero width", /^[\u200b-\u200d\u2060\ufeff\u00ad]$/],
  ["control", /^[\p{Cc}]$/u],
];

/** Every name and text of an input. */
const textsOf = (input: Json): readonly string[] => {
  if (typeof input === "string") return [input];
  if (typeof input !== "object" || input === null) return [];
  return Object.entries(input).flatMap(([key, value]) => [key, ...textsOf(value)]);
};

/** `3 hidden characters (text direction, zero width)`; undefined where every character can be seen. */
export const describeHidden = (input: Json): string | undefined => {
  let count = 0;
  const kinds = new Set<string>();
  for (const text of textsOf(input)) {
    if (PLAIN.test(text)) continue;
    for (const { text: escape, isMark } of toMarkedText(text)) {
      if (!isMark) continue;
      count += 1;
      const character = String.fromCodePoint(Number.parseInt(escape.slice(3, -1), 16));
      kinds.add(KINDS.find(([, is]) => is.test(character))?.[0] ?? "not visible");
    }
  }
  return count === 0 ? undefined : `${count} hidden character${count === 1 ? "" : "s"} (${[...kinds].join(", ")})`;
};
