/**
 * From events to rows of `messages`. Pure, and the only code that knows how: every store applies the operations that
 * come out of it, so that no two stores can differ, and `verify` folds the log again to see whether the rows are right.
 */
import type {
  ApprovalId,
  AssistantPart,
  CallId,
  ErrorValue,
  EventOf,
  RecordedEvent,
  RunResult,
  UserPart,
} from "@retinue/protocol";
import { hash } from "node:crypto";
import { toEventKey } from "./event-key.ts";
import type { MessageColumn, MessageStatus } from "./message-row.ts";
import type { PersistentMap } from "./persistent-map.ts";
import { eachValue, EMPTY_MAP, filterEntries, getEntry, withEntry } from "./persistent-map.ts";

export type ColumnValue = string | number | null;

/** One row is opened or changed. `columns` is always one of a few constant lists, so that statements can be kept by it. */
export type Operation = {
  readonly type: "insert" | "update";
  readonly id: number;
  readonly columns: readonly MessageColumn[];
  /** In the order of `columns`. An insert has its id among them. */
  readonly values: readonly ColumnValue[];
};

export type OpenCall = {
  readonly id: number;
  readonly startedAt: string;
  readonly settled: boolean;
  readonly approvalId?: ApprovalId;
};

type OpenStep = {
  readonly id: number;
  readonly startedAt: string;
  /** What its row begins with, in the order of `OPEN_MODEL_CALL`; null once it has ended. */
  readonly opening: readonly ColumnValue[] | null;
};

/** What must be known of a run's earlier events to project its next one. */
export type RunProjection = {
  readonly messageId: number;
  /** The latest model call. Its row is written when it ends. */
  readonly step: OpenStep | null;
  /** The calls of the latest answer, and earlier ones that have not settled. */
  readonly calls: PersistentMap<OpenCall>;
};

export type Projected = { readonly operations: readonly Operation[]; readonly run: RunProjection };

export type ProjectOptions = {
  readonly event: RecordedEvent;
  readonly sessionNumber: number;
  /** Of the event's run; absent before its `run.requested`. */
  readonly run?: RunProjection | undefined;
  /** Of the parent's run; needed for a `run.requested` that has one. */
  readonly parent?: RunProjection | undefined;
};

const OPEN_RUN = [
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

const OPEN_MODEL_CALL = [
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

const OPEN_TOOL_CALL = [
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

const RECEIVE = [
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

const MARK = ["status"] as const satisfies readonly MessageColumn[];

const ANSWER_APPROVAL = ["approval", "approval_reason"] as const satisfies readonly MessageColumn[];

const START_APPROVED = ["status", "started_at", "request_content", "effect"] as const satisfies readonly MessageColumn[];

const FAIL = [
  "completed_at",
  "duration_ms",
  "status",
  "outcome",
  "error_message",
  "error_code",
] as const satisfies readonly MessageColumn[];

const ANSWER_MODEL_CALL = [
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

const ANSWERED_MODEL_CALL: readonly MessageColumn[] = [...OPEN_MODEL_CALL, ...ANSWER_MODEL_CALL];

const FAILED_MODEL_CALL: readonly MessageColumn[] = [...OPEN_MODEL_CALL, ...FAIL];

const SETTLE_TOOL_CALL = [
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

const SETTLE_COMMAND = [...SETTLE_TOOL_CALL, "metadata_json"] as const satisfies readonly MessageColumn[];

const SETTLE_RUN = [
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

const NOTHING: readonly Operation[] = [];

export const project = ({ event, sessionNumber, run, parent }: ProjectOptions): Projected => {
  const id = toEventKey(sessionNumber, event.seq);
  if (event.type === "run.requested")
    return { operations: [openRun(event, id, parent)], run: { messageId: id, step: null, calls: EMPTY_MAP } };
  if (run === undefined) throw new Error(`Event ${event.seq} is of run ${event.runId}, which was never requested.`);
  switch (event.type) {
    case "run.started":
      return { operations: [update(run.messageId, MARK, ["running"])], run };
    case "model.requested": {
      const opening = [
        id,
        event.sessionId,
        run.messageId,
        event.at,
        event.agent,
        event.depth,
        event.model,
        "continuation",
        event.estimatedTokens,
        1,
        event.handIn ? '{"handIn":true}' : null,
        event.runId,
        event.seq,
        event.step,
      ];
      return {
        operations: run.step?.opening ? [interruptStep(run.step, run.step.opening, event.at)] : NOTHING,
        run: { ...run, step: { id, startedAt: event.at, opening } },
      };
    }
    case "model.answered": {
      if (!run.step?.opening) return { operations: NOTHING, run };
      return {
        operations: [
          {
            type: "insert",
            id: run.step.id,
            columns: ANSWERED_MODEL_CALL,
            values: [
              ...run.step.opening,
              event.at,
              toElapsedMs(run.step.startedAt, event.at),
              toAnswerText(event.content),
              toToolCallsJson(event.content),
              event.usage.input,
              event.usage.output,
              event.usage.input + event.usage.output,
              "completed",
              event.finishReason,
              event.usage.cached,
              event.usage.reasoning,
              event.costUsd,
            ],
          },
        ],
        run: { ...run, step: { ...run.step, opening: null }, calls: filterEntries(run.calls, (call) => !call.settled) },
      };
    }
    case "model.failed": {
      if (!run.step?.opening) return { operations: NOTHING, run };
      const status = event.error.code === "cancelled" ? "cancelled" : "failed";
      return {
        operations: [failStep(run.step.opening, toFailure(run.step, event.at, status, event.error))],
        run: { ...run, step: { ...run.step, opening: null } },
      };
    }
    case "approval.requested": {
      const { act, approvalId } = event;
      const call = getEntry(run.calls, act.callId);
      if (call !== undefined && !call.settled)
        return {
          operations: [update(call.id, ANSWER_APPROVAL, ["asked", null])],
          run: { ...run, calls: withEntry(run.calls, act.callId, { ...call, approvalId }) },
        };
      return openCall(event, id, run, {
        callId: act.callId,
        tool: act.tool,
        input: JSON.stringify(act.input),
        effect: act.effect,
        status: "pending",
        approvalId,
      });
    }
    case "approval.answered": {
      const call = findAsked(run.calls, event.approvalId);
      if (call === undefined) return { operations: NOTHING, run };
      return {
        operations: [update(call.id, ANSWER_APPROVAL, [event.allowed ? "allowed" : "denied", event.reason ?? null])],
        run,
      };
    }
    case "tool.started": {
      const input = JSON.stringify(event.input);
      const call = getEntry(run.calls, event.callId);
      if (call === undefined || call.settled)
        return openCall(event, id, run, {
          callId: event.callId,
          tool: event.tool,
          input,
          effect: event.effect,
          status: "running",
        });
      return {
        operations: [update(call.id, START_APPROVED, ["running", event.at, input, event.effect])],
        run: { ...run, calls: withEntry(run.calls, event.callId, { ...call, startedAt: event.at }) },
      };
    }
    case "tool.settled": {
      const call = getEntry(run.calls, event.callId);
      if (call !== undefined && !call.settled)
        return {
          operations: [settleCall(event, call)],
          run: { ...run, calls: withEntry(run.calls, event.callId, { ...call, settled: true }) },
        };
      const opened = openCall(event, id, run, {
        callId: event.callId,
        tool: event.tool,
        input: event.arguments ?? null,
        effect: null,
        status: "running",
      });
      return {
        operations: [...opened.operations, settleCall(event, { id, startedAt: event.at })],
        run: { ...run, calls: withEntry(run.calls, event.callId, { id, startedAt: event.at, settled: true }) },
      };
    }
    case "context.fitted":
      return { operations: event.summary === undefined ? NOTHING : recordSummary(event, event.summary, id, run), run };
    case "message.received":
      return { operations: recordReceived(event, id, run), run };
    case "message.delivered":
    case "cancel.requested":
    case "run.parked":
    case "run.finishing":
    case "limit.reached":
    case "result.rejected":
    case "worktree.made":
    case "worktree.refused":
    case "worktree.merging":
    case "worktree.merged":
    case "plan.made":
    case "plan.step":
    case "plan.decided":
    case "plan.settled":
      return { operations: NOTHING, run };
    case "run.settled": {
      const operations = [settleRun(event.result, event.at, run.messageId)];
      if (run.step?.opening) operations.push(interruptStep(run.step, run.step.opening, event.at, event.result));
      for (const call of eachValue(run.calls))
        if (!call.settled) operations.push(update(call.id, FAIL, toInterruption(call, event.at, event.result)));
      return { operations, run: { messageId: run.messageId, step: null, calls: EMPTY_MAP } };
    }
    default:
      return event satisfies never;
  }
};

const update = (id: number, columns: readonly MessageColumn[], values: readonly ColumnValue[]): Operation => ({
  type: "update",
  id,
  columns,
  values,
});

const openRun = (event: EventOf<"run.requested">, id: number, parent: RunProjection | undefined): Operation => {
  const { spec } = event;
  const metadata = {
    approve: spec.grant.approve,
    workspace: spec.workspace,
    tools: spec.tools,
    delegates: spec.delegates,
    ...(event.continues === undefined ? {} : { continues: event.continues }),
    ...(event.forkedFrom === undefined ? {} : { forkedFrom: event.forkedFrom }),
  };
  const parentCall = event.parentCallId === undefined ? undefined : parent && getEntry(parent.calls, event.parentCallId);
  return {
    type: "insert",
    id,
    columns: OPEN_RUN,
    values: [
      id,
      event.sessionId,
      parentCall?.id ?? parent?.messageId ?? null,
      event.at,
      event.agent,
      event.depth,
      spec.model,
      // Of the role: the rest of the prompt tells one run of its task.
      `sys_${hash("sha256", JSON.stringify(spec.system.slice(0, spec.roleChars))).slice(0, 16)}`,
      event.depth === 0 ? "prompt" : "delegation",
      toText(event.task),
      spec.contextMode ?? null,
      spec.limits.iterations ?? null,
      spec.limits.durationMs ?? null,
      "pending",
      JSON.stringify(metadata),
      event.runId,
      event.seq,
    ],
  };
};

type CallOpening = {
  readonly callId: CallId;
  readonly tool: string;
  readonly input: string | null;
  readonly effect: string | null;
  readonly status: MessageStatus;
  /** The question that came before the call. */
  readonly approvalId?: ApprovalId;
};

const openCall = (event: RecordedEvent, id: number, run: RunProjection, call: CallOpening): Projected => ({
  operations: [
    {
      type: "insert",
      id,
      columns: OPEN_TOOL_CALL,
      values: [
        id,
        event.sessionId,
        // The row of a model call that has not ended is not there yet.
        run.step?.opening === null ? run.step.id : run.messageId,
        event.at,
        event.agent,
        event.depth,
        "tool_call",
        call.input,
        call.status,
        event.runId,
        event.seq,
        call.tool,
        call.callId,
        call.effect,
        call.approvalId === undefined ? null : "asked",
      ],
    },
  ],
  run: {
    ...run,
    calls: withEntry(run.calls, call.callId, {
      id,
      startedAt: event.at,
      settled: false,
      ...(call.approvalId === undefined ? {} : { approvalId: call.approvalId }),
    }),
  },
});

const settleCall = (event: EventOf<"tool.settled">, call: Pick<OpenCall, "id" | "startedAt">): Operation => {
  const values = [
    event.at,
    toElapsedMs(call.startedAt, event.at),
    toText(event.content),
    event.files === undefined ? null : toTouchedJson(event.files.modified, event.files.created),
    toCallStatus(event),
    event.error?.message ?? null,
    event.outcome,
    event.error?.code ?? null,
    event.files === undefined ? null : JSON.stringify(event.files.created),
    event.artifact?.artifactId ?? null,
  ] as const;
  return event.sandbox === undefined
    ? update(call.id, SETTLE_TOOL_CALL, values)
    : update(call.id, SETTLE_COMMAND, [...values, JSON.stringify({ sandbox: event.sandbox })]);
};

const settleRun = (result: RunResult, at: string, id: number): Operation =>
  update(id, SETTLE_RUN, [
    at,
    Math.round(result.durationMs),
    result.contextTokens,
    result.details,
    result.summary,
    toTouchedJson(result.filesModified, result.filesCreated),
    result.usage.input,
    result.usage.output,
    result.usage.input + result.usage.output,
    result.iterations,
    result.bailoutReason ?? null,
    toRunStatus(result),
    result.error?.message ?? null,
    result.status,
    result.error?.code ?? null,
    JSON.stringify(result.filesCreated),
    result.usage.cached,
    result.usage.reasoning,
    result.costUsd,
  ]);

/** A summary of old context is a model call like any other: it cost tokens and money. */
const recordSummary = (
  event: EventOf<"context.fitted">,
  summary: NonNullable<EventOf<"context.fitted">["summary"]>,
  id: number,
  run: RunProjection,
): readonly Operation[] => [
  {
    type: "insert",
    id,
    columns: ANSWERED_MODEL_CALL,
    values: [
      id,
      event.sessionId,
      run.messageId,
      event.at,
      event.agent,
      event.depth,
      summary.model,
      "continuation",
      event.beforeTokens,
      1,
      '{"contextSummary":true}',
      event.runId,
      event.seq,
      null,
      event.at,
      null,
      summary.text,
      null,
      summary.usage.input,
      summary.usage.output,
      summary.usage.input + summary.usage.output,
      "completed",
      "stop",
      summary.usage.cached,
      summary.usage.reasoning,
      summary.costUsd,
    ],
  },
];

const recordReceived = (event: EventOf<"message.received">, id: number, run: RunProjection): readonly Operation[] => [
  {
    type: "insert",
    id,
    columns: RECEIVE,
    values: [
      id,
      event.sessionId,
      run.messageId,
      event.at,
      event.at,
      event.agent,
      event.depth,
      "prompt",
      toText(event.content),
      "completed",
      JSON.stringify({ from: event.from }),
      event.runId,
      event.seq,
    ],
  },
];

/** In the order of `FAIL`. */
const toFailure = (
  open: { readonly startedAt: string },
  at: string,
  status: MessageStatus,
  error: Pick<ErrorValue, "message"> & { readonly code: ErrorValue["code"] | null },
): readonly ColumnValue[] => [
  at,
  toElapsedMs(open.startedAt, at),
  status,
  status === "cancelled" ? "cancelled" : "error",
  error.message,
  error.code,
];

/** What was still open when the run went on without it, or ended. */
const toInterruption = (open: { readonly startedAt: string }, at: string, result?: RunResult): readonly ColumnValue[] =>
  result?.status === "cancelled"
    ? toFailure(open, at, "cancelled", { message: "The run was cancelled first.", code: "cancelled" })
    : toFailure(open, at, "failed", {
        message: "It was under way when the process ended or the run was stopped.",
        code: null,
      });

const failStep = (opening: readonly ColumnValue[], failure: readonly ColumnValue[]): Operation => ({
  type: "insert",
  id: Number(opening[0]),
  columns: FAILED_MODEL_CALL,
  values: [...opening, ...failure],
});

const interruptStep = (step: OpenStep, opening: readonly ColumnValue[], at: string, result?: RunResult): Operation =>
  failStep(opening, toInterruption(step, at, result));

/** By the wall clock, which may have been set back. */
export const toElapsedMs = (from: string, to: string): number | null => {
  const elapsed = Date.parse(to) - Date.parse(from);
  return Number.isNaN(elapsed) ? null : Math.max(0, elapsed);
};

/** `partial` has no word of its own in the column: it is completed, with a reason for stopping early. */
export const toRunStatus = (result: RunResult): MessageStatus => {
  if (result.status !== "partial") return result.status;
  return result.bailoutReason === "timeout" ? "timeout" : "completed";
};

const toCallStatus = (event: EventOf<"tool.settled">): MessageStatus => {
  switch (event.outcome) {
    case "ok":
      return "completed";
    case "cancelled":
      return "cancelled";
    case "error":
      return event.error?.code === "tool_timeout" ? "timeout" : "failed";
    case "denied":
    case "unknown":
      return "failed";
    default:
      return event.outcome satisfies never;
  }
};

const findAsked = (calls: RunProjection["calls"], approvalId: ApprovalId): OpenCall | undefined => {
  for (const call of eachValue(calls)) if (call.approvalId === approvalId && !call.settled) return call;
  return undefined;
};

/** The words of a task or of a tool's output; an image is named. */
export const toText = (parts: readonly UserPart[]): string => {
  const [only] = parts;
  if (parts.length === 1 && only?.type === "text") return only.text;
  return parts.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`)).join("\n");
};

const toAnswerText = (content: readonly AssistantPart[]): string => {
  let text = "";
  for (const part of content) if (part.type === "text") text = text === "" ? part.text : `${text}\n${part.text}`;
  return text;
};

const toToolCallsJson = (content: readonly AssistantPart[]): string | null => {
  const calls: unknown[] = [];
  for (const part of content)
    if (part.type === "tool-call") calls.push({ callId: part.callId, tool: part.tool, arguments: part.arguments });
  return calls.length === 0 ? null : JSON.stringify(calls);
};

const toTouchedJson = (modified: readonly string[], created: readonly string[]): string =>
  JSON.stringify([...new Set([...modified, ...created])]);
