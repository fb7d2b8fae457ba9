/** A value that came as text, from a variable or a flag, as the kind of value that belongs at its path. */
import type { Raw } from "./layer.ts";
import type { Place, SettingsPath } from "./schema-walk.ts";
import { placeAt } from "./schema-walk.ts";

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

const YES_NO: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

/** Text that is not of the kind stays text; the check of the layer then says what is wrong with it. */
export const fromText = (text: string, path: SettingsPath): Raw => {
  const place = placeAt(path);
  if (place?.type === "number") return NUMBER.test(text.trim()) ? Number(text) : text;
  if (place?.type === "yes-no") return YES_NO.get(text.trim()) ?? text;
  const isJson = /^\s*\[/.test(text);
  if (place?.type === "list" && !isJson) return toList(text, place.of);
  if (place?.type !== "keys" && place?.type !== "names" && !isJson) return text;
  try {
    return JSON.parse(text) as Raw;
  } catch {
    return text;
  }
};

/** `s1,s2` is a list of two words; a text, which may hold commas, is one entry. */
const toList = (text: string, of: Extract<Place, { readonly type: "list" }>["of"]): Raw => {
  if (of === "other") return text;
  if (of === "texts") return [text.trim()];
  const words = text.split(",").map((word) => word.trim());
  return of === "words" ? words : words.map((word) => (NUMBER.test(word) ? Number(word) : word));
};
