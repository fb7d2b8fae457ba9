/**
 * A row of `messages`: one recorded request and what came of it. A run, a model call and a tool call are one row each,
 * opened when it starts and closed when it ends; `parent_message_id` makes them a tree. `docs/records.md` says what each
 * column holds.
 */

/**
 * prompt: a run at depth 0, or what was said to a run while it worked. delegation: a run below. continuation: one model
 * call of a run. tool_call: one tool call.
 */
export type RequestType = "prompt" | "tool_call" | "delegation" | "continuation";

export type MessageStatus = "pending" | "running" | "completed" | "failed" | "cancelled" | "timeout";

/** Names and order of the columns are those of the table. */
export type MessageRow = {
  readonly id: number;
  readonly session_id: string;
  readonly parent_message_id: number | null;
  readonly started_at: string;
  readonly completed_at: string | null;
  readonly duration_ms: number | null;
  readonly agent_role: string | null;
  readonly agent_depth: number;
  readonly model_id: string | null;
  /** Names the prompt of the run's role by its hash: `ReadSide.systemPrompt` and the view `system_prompts` have the text. */
  readonly system_prompt_id: string | null;
  readonly request_type: RequestType;
  readonly request_content: string | null;
  readonly context_mode: string | null;
  readonly context_token_count: number | null;
  readonly response_content: string | null;
  readonly response_summary: string | null;
  readonly tool_calls_json: string | null;
  /** Files modified and files created. */
  readonly files_modified_json: string | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly total_tokens: number | null;
  readonly iteration_count: number;
  readonly max_iterations: number | null;
  readonly max_duration_ms: number | null;
  readonly bailout_reason: string | null;
  readonly status: MessageStatus;
  readonly error_message: string | null;
  readonly metadata_json: string | null;
  readonly run_id: string;
  /** The number of the event that opened the row. */
  readonly seq: number;
  /** The turn of the run, for a model call. */
  readonly step: number | null;
  readonly tool_name: string | null;
  readonly call_id: string | null;
  readonly effect: string | null;
  /** Null where nobody was asked. */
  readonly approval: "asked" | "allowed" | "denied" | null;
  readonly approval_reason: string | null;
  /** How it ended in its own words: status of the run's result, finish reason of the model, outcome of the tool. */
  readonly outcome: string | null;
  readonly error_code: string | null;
  readonly files_created_json: string | null;
  readonly artifact_id: string | null;
  readonly cached_tokens: number | null;
  readonly reasoning_tokens: number | null;
  /** Null where no price is known. */
  readonly cost_usd: number | null;
};

export type MessageColumn = keyof MessageRow;

/** A model call that has not ended. Its row may be there or not yet: nothing counts it before its end. */
export const isUnderWay = ({ request_type, status }: Pick<MessageRow, "request_type" | "status">): boolean =>
  request_type === "continuation" && status === "running";

/** The same in SQL, of the rows `m`. */
export const HAS_ENDED_OR_IS_NO_MODEL_CALL = "NOT (m.request_type = 'continuation' AND m.status = 'running')";

export const MESSAGE_COLUMNS = [
  "id",
  "session_id",
  "parent_message_id",
  "started_at",
  "completed_at",
  "duration_ms",
  "agent_role",
  "agent_depth",
  "model_id",
  "system_prompt_id",
  "request_type",
  "request_content",
  "context_mode",
  "context_token_count",
  "response_content",
  "response_summary",
  "tool_calls_json",
  "files_modified_json",
  "prompt_tokens",
  "completion_tokens",
  "total_tokens",
  "iteration_count",
  "max_iterations",
  "max_duration_ms",
  "bailout_reason",
  "status",
  "error_message",
  "metadata_json",
  "run_id",
  "seq",
  "step",
  "tool_name",
  "call_id",
  "effect",
  "approval",
  "approval_reason",
  "outcome",
  "error_code",
  "files_created_json",
  "artifact_id",
  "cached_tokens",
  "reasoning_tokens",
  "cost_usd",
] as const satisfies readonly MessageColumn[];

/** What a column holds when nothing was written into it. */
export const EMPTY_MESSAGE: Omit<MessageRow, "id" | "session_id" | "started_at" | "request_type" | "run_id" | "seq"> = {
  parent_message_id: null,
  completed_at: null,
  duration_ms: null,
  agent_role: null,
  agent_depth: 0,
  model_id: null,
  system_prompt_id: null,
  request_content: null,
  context_mode: null,
  context_token_count: null,
  response_content: null,
  response_summary: null,
  tool_calls_json: null,
  files_modified_json: null,
  prompt_tokens: null,
  completion_tokens: null,
  total_tokens: null,
  iteration_count: 0,
  max_iterations: null,
  max_duration_ms: null,
  bailout_reason: null,
  status: "pending",
  error_message: null,
  metadata_json: null,
  step: null,
  tool_name: null,
  call_id: null,
  effect: null,
  approval: null,
  approval_reason: null,
  outcome: null,
  error_code: null,
  files_created_json: null,
  artifact_id: null,
  cached_tokens: null,
  reasoning_tokens: null,
  cost_usd: null,
};
