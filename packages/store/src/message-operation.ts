/**
 * What is written to rows of `messages`: which columns each kind of write sets, and the one way from a row, in which each value stands beside its column's
 * name, to an operation.
 */
import type { MessageColumn } from "./message-row.ts";

export type ColumnValue = string | number | null;

/** One row is opened or changed. `columns` is always one of a few constant lists, so that statements can be kept by it. */
export type Operation = {
  readonly type: "insert" | "update";
  readonly id: number;
  readonly columns: readonly MessageColumn[];
  /** In the order of `columns`. An insert has its id among them. */
  readonly values: readonly ColumnValue[];
};

/** A value for each of the columns, and for no other. */
export type RowOf<Columns extends readonly MessageColumn[]> = Readonly<Record<Columns[number], ColumnValue>>;

export const insert = <const Columns extends readonly MessageColumn[]>(
  columns: Columns,
  row: RowOf<Columns> & { readonly id: number },
): Operation => ({ type: "insert", id: row.id, columns, values: valuesOf(columns, row) });

export const update = <const Columns extends readonly MessageColumn[]>(
  id: number,
  columns: Columns,
  row: RowOf<Columns>,
): Operation => ({ type: "update", id, columns, values: valuesOf(columns, row) });

const valuesOf = <Columns extends readonly MessageColumn[]>(columns: Columns, row: RowOf<Columns>): readonly ColumnValue[] => {
  const values: ColumnValue[] = [];
  for (const column of columns as readonly Columns[number][]) values.push(row[column]);
  return values;
};

export const OPEN_RUN = [
  "id",
  "session_id",
  "parent_message_id",
  "started_at",
  "agent_role",
  "agent_depth",
  "model_id",
  "system_prompt_id",
  "request_type",
  "request_content",
  "context_mode",
  "max_iterations",
  "max_duration_ms",
  "status",
  "metadata_json",
  "run_id",
  "seq",
] as const satisfies readonly MessageColumn[];

export const OPEN_MODEL_CALL = [
  "id",
  "session_id",
  "parent_message_id",
  "started_at",
  "agent_role",
  "agent_depth",
  "model_id",
  "request_type",
  "context_token_count",
  "iteration_count",
  "metadata_json",
  "run_id",
  "seq",
  "step",
] as const satisfies readonly MessageColumn[];

export const OPEN_TOOL_CALL = [
  "id",
  "session_id",
  "parent_message_id",
  "started_at",
  "agent_role",
  "agent_depth",
  "request_type",
  "request_content",
  "status",
  "run_id",
  "seq",
  "tool_name",
  "call_id",
  "effect",
  "approval",
] as const satisfies readonly MessageColumn[];

export const RECEIVE = [
  "id",
  "session_id",
  "parent_message_id",
  "started_at",
  "completed_at",
  "agent_role",
  "agent_depth",
  "request_type",
  "request_content",
  "status",
  "metadata_json",
  "run_id",
  "seq",
] as const satisfies readonly MessageColumn[];

export const MARK = ["status"] as const satisfies readonly MessageColumn[];

export const ANSWER_APPROVAL = ["approval", "approval_reason"] as const satisfies readonly MessageColumn[];

export const START_APPROVED = ["status", "started_at", "request_content", "effect"] as const satisfies readonly MessageColumn[];

export const FAIL = [
  "completed_at",
  "duration_ms",
  "status",
  "outcome",
  "error_message",
  "error_code",
] as const satisfies readonly MessageColumn[];

export const ANSWER_MODEL_CALL = [
  "completed_at",
  "duration_ms",
  "response_content",
  "tool_calls_json",
  "prompt_tokens",
  "completion_tokens",
  "total_tokens",
  "status",
  "outcome",
  "cached_tokens",
  "reasoning_tokens",
  "cost_usd",
] as const satisfies readonly MessageColumn[];

export const ANSWERED_MODEL_CALL = [...OPEN_MODEL_CALL, ...ANSWER_MODEL_CALL] as const;

export const FAILED_MODEL_CALL = [...OPEN_MODEL_CALL, ...FAIL] as const;

export const UNDER_WAY = [...OPEN_MODEL_CALL, "status"] as const;

export const SETTLE_TOOL_CALL = [
  "completed_at",
  "duration_ms",
  "response_content",
  "files_modified_json",
  "status",
  "error_message",
  "outcome",
  "error_code",
  "files_created_json",
  "artifact_id",
] as const satisfies readonly MessageColumn[];

export const SETTLE_COMMAND = [...SETTLE_TOOL_CALL, "metadata_json"] as const satisfies readonly MessageColumn[];

export const SETTLE_RUN = [
  "completed_at",
  "duration_ms",
  "context_token_count",
  "response_content",
  "response_summary",
  "files_modified_json",
  "prompt_tokens",
  "completion_tokens",
  "total_tokens",
  "iteration_count",
  "bailout_reason",
  "status",
  "error_message",
  "outcome",
  "error_code",
  "files_created_json",
  "cached_tokens",
  "reasoning_tokens",
  "cost_usd",
] as const satisfies readonly MessageColumn[];
