/**
 * The settings that trust is asked for, as they are shown to the one who decides. Commands, their arguments and addresses stand there to the
 * letter, since a project could have any of it hidden that looked like a secret; only values of headers and variables that say they are secret are not told.
 */
import { REDACTED } from "../secrets/secret.ts";
import { secretsOfValue } from "../secrets/secret-value.ts";
import type { Raw, RawMap } from "./layer.ts";
import { isRawMap } from "./layer.ts";
import { withoutPassword } from "./without-password.ts";

/** Maps of names to values that are handed over, and never run. */
const HANDED_OVER: ReadonlySet<string> = new Set(["env", "headers"]);

/** Addresses of databases, which hold passwords. */
const ADDRESSES: ReadonlySet<string> = new Set(["databases", "store"]);

export const toShownSettings = (asked: RawMap): string => JSON.stringify(show(asked, []));

const show = (value: Raw, path: readonly string[]): Raw => {
  if (isRawMap(value)) return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, show(child, [...path, key])]));
  if (Array.isArray(value)) return (value as readonly Raw[]).map((item) => show(item, path));
  if (typeof value !== "string") return value;
  if (ADDRESSES.has(path[0] ?? "")) return withoutPassword(value);
  const isHidden =
    HANDED_OVER.has(path.at(-2) ?? "") && !value.includes("${") && secretsOfValue(path.at(-1) ?? "", value).length > 0;
  return isHidden ? REDACTED : value;
};
