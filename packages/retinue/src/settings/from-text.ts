/** A value that came as text, from a variable or a flag, as the kind of value that belongs at its path. */
import type { Raw } from "./layer.ts";
import type { SettingsPath } from "./schema-walk.ts";
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
  if (place?.type !== "keys" && place?.type !== "names" && !/^\s*\[/.test(text)) return text;
  try {
    return JSON.parse(text) as Raw;
  } catch {
    return text;
  }
};
