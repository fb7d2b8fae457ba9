/** What a query may ask, checked before anything is asked of a store. */
import { RetinueError } from "@retinue/protocol";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;

export const toLimit = (limit: number | undefined): number => {
  if (limit === undefined) return DEFAULT_LIMIT;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw new RetinueError("query_invalid", `A page has from 1 to ${MAX_LIMIT} items, not ${String(limit)}.`);
  return limit;
};

/** The value, if it is one of those that are allowed. */
export const toAllowed = <T extends string>(what: string, value: T | undefined, allowed: readonly T[], otherwise: T): T => {
  if (value === undefined) return otherwise;
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined)
    throw new RetinueError("query_invalid", `${what} is one of ${allowed.join(", ")}, not ${JSON.stringify(value)}.`);
  return found;
};

/** A cursor names the last item of the page before: by its number, and by its time where the order is by time. */
export type Cursor = { readonly key: number; readonly at: string };

export const toCursor = ({ key, at }: Cursor): string => (at === "" ? String(key) : `${key}@${at}`);

export const fromCursor = (after: string | undefined): Cursor | undefined => {
  if (after === undefined) return undefined;
  const match = /^(\d{1,16})(?:@([^@]{1,64}))?$/su.exec(after);
  if (match?.[1] === undefined || !Number.isSafeInteger(Number(match[1])))
    throw new RetinueError("query_invalid", `${JSON.stringify(after.slice(0, 80))} does not begin a page.`, {
      hint: "Hand back `next` of the page before as it is.",
    });
  return { key: Number(match[1]), at: match[2] ?? "" };
};
