/** Rows of `messages` on their way out of the table. */
import type { SQLOutputValue } from "node:sqlite";
import { fromColumnText } from "../column-text.ts";
import type { MessageRow } from "../message-row.ts";
import { MESSAGE_COLUMNS } from "../message-row.ts";

export const SELECT_MESSAGES = `SELECT ${MESSAGE_COLUMNS.map((column) => `m.${column}`).join(", ")} FROM messages m`;

export const fromMessageRow = (row: Record<string, SQLOutputValue>): MessageRow => {
  const message: Record<string, SQLOutputValue> = {};
  for (const column of MESSAGE_COLUMNS) {
    const value = row[column] ?? null;
    message[column] = typeof value === "string" ? fromColumnText(value) : value;
  }
  // Only what the projection wrote stands in these columns; `verify` finds out where that is no longer so.
  return message as unknown as MessageRow;
};
