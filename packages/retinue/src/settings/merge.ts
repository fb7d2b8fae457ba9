/** Puts one source of settings over another, value by value; lists and texts take the place of those below. */
import type { RawMap } from "./layer.ts";
import { isRawMap } from "./layer.ts";

export const merge = (lower: RawMap, upper: RawMap): RawMap => {
  const merged = new Map(Object.entries(lower));
  for (const [key, value] of Object.entries(upper)) {
    const below = merged.get(key);
    merged.set(key, isRawMap(below) && isRawMap(value) ? merge(below, value) : value);
  }
  return Object.fromEntries(merged);
};

/** Without the named entries below a key, so that what is put in their place takes nothing over from them. */
export const withoutNamed = (tree: RawMap, key: string, names: readonly string[]): RawMap => {
  const section = Object.hasOwn(tree, key) ? tree[key] : undefined;
  if (!isRawMap(section)) return tree;
  const gone = new Set(names);
  return { ...tree, [key]: Object.fromEntries(Object.entries(section).filter(([name]) => !gone.has(name))) };
};
