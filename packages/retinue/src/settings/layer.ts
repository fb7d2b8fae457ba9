/** One source of settings: what it says, and where it says it. */
import type { Problem } from "./problem.ts";
import type { SettingsPath } from "./schema-walk.ts";

export type Origin =
  | { readonly type: "default" }
  | { readonly type: "user"; readonly file: string; readonly line: number }
  | { readonly type: "project"; readonly file: string; readonly line: number }
  | { readonly type: "env"; readonly name: string }
  | { readonly type: "flag"; readonly name: string };

/** A value of settings before it is checked. */
export type Raw = null | boolean | number | string | readonly Raw[] | RawMap;
export type RawMap = { readonly [key: string]: Raw };

export type Layer = {
  readonly tree: RawMap;
  /** Where the value at this path was set. */
  readonly origin: (path: SettingsPath) => Origin;
  /** The same for people, with the column. `key`: the key itself is meant, not its value. */
  readonly where: (path: SettingsPath, part: "key" | "value") => string;
  readonly problems: readonly Problem[];
};

export const isRawMap = (value: unknown): value is RawMap => typeof value === "object" && value !== null && !Array.isArray(value);

/** The value at a path; undefined where there is none. */
export const rawAt = (tree: RawMap, path: SettingsPath): Raw | undefined => {
  let value: Raw | undefined = tree;
  for (const key of path) value = isRawMap(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
};

/** The tree with a value put at a path. What stands in the way and is no map gives way. */
export const withRaw = (tree: RawMap, path: SettingsPath, value: Raw): RawMap => {
  const [key, ...rest] = path;
  if (key === undefined) return isRawMap(value) ? value : tree;
  const child = Object.hasOwn(tree, key) ? tree[key] : undefined;
  const next = rest.length === 0 ? value : withRaw(isRawMap(child) ? child : {}, rest, value);
  return Object.fromEntries([...Object.entries(tree).filter(([name]) => name !== key), [key, next]]);
};
