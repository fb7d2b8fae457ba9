/**
 * Texts in columns that have an index. An index of PostgreSQL takes no entry over a third of a page: a longer text stands
 * there as its hash, and in full in the table `names`.
 */
import { hash } from "node:crypto";
import { fromColumnText, toColumnText } from "../column-text.ts";
import type { MessageColumn } from "../message-row.ts";

const MARK = "\u0001name:";
const MAX_CHARS = 500;

/** The columns of `messages` that are kept this way. */
export const NAME_COLUMNS: ReadonlySet<MessageColumn> = new Set(["session_id", "agent_role", "started_at", "run_id"]);

export const toNameKey = (text: string): string => {
  const stored = toColumnText(text);
  return stored.length > MAX_CHARS || stored.startsWith(MARK) ? `${MARK}${hash("sha256", stored)}` : stored;
};

export const isLongName = (key: string): boolean => key.startsWith(MARK);

/** `longNames` holds the full texts of the keys that are hashes. */
export const fromNameKey = (key: string, longNames: ReadonlyMap<string, string>): string =>
  fromColumnText(isLongName(key) ? (longNames.get(key) ?? key) : key);
