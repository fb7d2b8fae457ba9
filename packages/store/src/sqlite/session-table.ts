/** The row of `sessions` on its way into and out of the table. */
import type { SessionId } from "@retinue/protocol";
import type { SQLOutputValue } from "node:sqlite";
import { fromColumnText, toColumnText } from "../column-text.ts";
import type { MessageStatus } from "../message-row.ts";
import type { SessionRow } from "../project-session.ts";

export const SESSION_COLUMNS =
  "title, agent, model, workspace, status, created_at, updated_at, run_count, message_count, prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, cost_usd, unpriced_calls, head_seq, head_hash";

export const INSERT_SESSION = `INSERT INTO sessions (session_id, ${SESSION_COLUMNS}) VALUES (${Array(18).fill("?").join(", ")})`;

export const UPDATE_SESSION = `UPDATE sessions SET (${SESSION_COLUMNS}) = (${Array(17).fill("?").join(", ")}) WHERE number = ?`;

/** In the order of `SESSION_COLUMNS`. */
export const toSessionValues = (row: Omit<SessionRow, "sessionId" | "number">): (string | number)[] => [
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

const text = (value: SQLOutputValue | undefined): string => fromColumnText(String(value));

export const fromSessionRow = (row: Record<string, SQLOutputValue>): SessionRow => ({
  // Only what `toSessionValues` wrote stands in these columns; `verify` finds out where that is no longer so.
  sessionId: text(row["session_id"]) as SessionId,
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
