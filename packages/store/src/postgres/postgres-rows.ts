/** Rows of the tables on their way in and out. */
import type { SessionId } from "@retinue/protocol";
import { fromColumnText, toColumnText } from "../column-text.ts";
import { fromEventKey } from "../event-key.ts";
import type { MessageColumn, MessageRow, MessageStatus } from "../message-row.ts";
import { MESSAGE_COLUMNS } from "../message-row.ts";
import type { ColumnValue, Operation } from "../message-operation.ts";
import type { SessionRow } from "../project-session.ts";
import type { Query, Row } from "./database.ts";
import { fromNameKey, isLongName, NAME_COLUMNS, toNameKey } from "./name-key.ts";

/** In the order of `toSessionValues`. */
export const SESSION_COLUMNS = [
  "title",
  "agent",
  "model",
  "workspace",
  "status",
  "created_at",
  "updated_at",
  "run_count",
  "message_count",
  "prompt_tokens",
  "completion_tokens",
  "cached_tokens",
  "reasoning_tokens",
  "cost_usd",
  "unpriced_calls",
  "head_seq",
  "head_hash",
] as const;

export const toSessionValues = (row: Omit<SessionRow, "sessionId" | "number">): ColumnValue[] => [
  toColumnText(row.title),
  toColumnText(row.agent),
  toColumnText(row.model),
  toColumnText(row.workspace),
  row.status,
  toColumnText(row.createdAt),
  toColumnText(row.updatedAt),
  row.runCount,
  row.messageCount,
  row.promptTokens,
  row.completionTokens,
  row.cachedTokens,
  row.reasoningTokens,
  row.costUsd,
  row.unpricedCalls,
  row.headSeq,
  row.headHash,
];

const text = (value: unknown): string => fromColumnText(String(value));

const toSession = (row: Row, longNames: ReadonlyMap<string, string>): SessionRow => ({
  // Only what `toSessionValues` wrote stands in these columns; `verify` finds out where that is no longer so.
  sessionId: fromNameKey(String(row["session_id"]), longNames) as SessionId,
  number: Number(row["number"]),
  title: text(row["title"]),
  agent: text(row["agent"]),
  model: text(row["model"]),
  workspace: text(row["workspace"]),
  status: text(row["status"]) as MessageStatus,
  createdAt: text(row["created_at"]),
  updatedAt: text(row["updated_at"]),
  runCount: Number(row["run_count"]),
  messageCount: Number(row["message_count"]),
  promptTokens: Number(row["prompt_tokens"]),
  completionTokens: Number(row["completion_tokens"]),
  cachedTokens: Number(row["cached_tokens"]),
  reasoningTokens: Number(row["reasoning_tokens"]),
  costUsd: Number(row["cost_usd"]),
  unpricedCalls: Number(row["unpriced_calls"]),
  headSeq: Number(row["head_seq"]),
  headHash: String(row["head_hash"]),
  importedAt: typeof row["imported_at"] === "string" ? row["imported_at"] : null,
});

/** The full texts of all names in these rows that stand there as hashes. */
export const readLongNames = async (query: Query, rows: readonly Row[]): Promise<ReadonlyMap<string, string>> => {
  const keys = new Set<string>();
  for (const row of rows)
    for (const value of Object.values(row)) if (typeof value === "string" && isLongName(value)) keys.add(value);
  if (keys.size === 0) return new Map();
  const found = await query("SELECT DISTINCT name, text FROM ~names WHERE name = ANY($1)", [[...keys]]);
  return new Map(found.map((row) => [String(row["name"]), String(row["text"])]));
};

export const fromSessionRows = async (query: Query, rows: readonly Row[]): Promise<readonly SessionRow[]> => {
  const longNames = await readLongNames(query, rows);
  return rows.map((row) => toSession(row, longNames));
};

export const SELECT_MESSAGES = `SELECT ${MESSAGE_COLUMNS.map((column) => `m.${column}`).join(", ")} FROM ~messages m`;

export const fromMessageRows = async (query: Query, rows: readonly Row[]): Promise<readonly MessageRow[]> => {
  const longNames = await readLongNames(query, rows);
  return rows.map((row) => {
    const message: Record<string, unknown> = {};
    for (const column of MESSAGE_COLUMNS) {
      const value = row[column] ?? null;
      if (typeof value !== "string") message[column] = value;
      else message[column] = NAME_COLUMNS.has(column) ? fromNameKey(value, longNames) : fromColumnText(value);
    }
    // Only what the projection wrote stands in these columns; `verify` finds out where that is no longer so.
    return message as unknown as MessageRow;
  });
};

/** The same in fewer: what is changed in a row right after it was opened, or changed before, is written at once. */
export const mergeOperations = (operations: readonly Operation[]): readonly Operation[] => {
  const merged = new Map<number, { readonly type: Operation["type"]; readonly values: Map<MessageColumn, ColumnValue> }>();
  for (const { type, id, columns, values } of operations) {
    const row = merged.get(id) ?? { type, values: new Map<MessageColumn, ColumnValue>() };
    for (const [at, column] of columns.entries()) row.values.set(column, values[at] ?? null);
    merged.set(id, row);
  }
  return [...merged].map(([id, { type, values }]) => ({ type, id, columns: [...values.keys()], values: [...values.values()] }));
};

/** The values of an operation as they are stored; long names are handed to `keep`. */
export const toStoredValues = (operation: Operation, keep: (key: string, text: string) => void): readonly ColumnValue[] =>
  operation.values.map((value, at) => {
    if (typeof value !== "string") return value;
    const column = operation.columns[at];
    if (column === undefined || !NAME_COLUMNS.has(column)) return toColumnText(value);
    const key = toNameKey(value);
    if (isLongName(key)) keep(key, toColumnText(value));
    return key;
  });

export const toOperationSql = ({ type, columns }: Operation): string =>
  type === "insert"
    ? // The row of a model call may stand there from when the call was under way.
      `INSERT INTO ~messages (${columns.join(", ")}) VALUES (${columns.map((_, at) => `$${at + 1}`).join(", ")})
         ON CONFLICT (id) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(", ")}`
    : `UPDATE ~messages SET ${columns.map((column, at) => `${column} = $${at + 1}`).join(", ")} WHERE id = $${columns.length + 1}`;

export const toSeq = (id: unknown): number => fromEventKey(Number(id)).seq;
