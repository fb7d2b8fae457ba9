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
import { isTokenCount, MAX_TOTAL_TOKENS, toPossibleSpent } from "@retinue/protocol";
import { toEventKey } from "./event-key.ts";
import type { Operation, RowOf } from "./message-operation.ts";
import {
  ANSWER_APPROVAL,
  ANSWERED_MODEL_CALL,
  FAIL,
  FAILED_MODEL_CALL,
  insert,
  MARK,
  OPEN_MODEL_CALL,
  OPEN_RUN,
  OPEN_TOOL_CALL,
  RECEIVE,
  SETTLE_COMMAND,
  SETTLE_RUN,
  SETTLE_TOOL_CALL,
  START_APPROVED,
  UNDER_WAY,
  update,
} from "./message-operation.ts";
import type { MessageStatus } from "./message-row.ts";
import type { PersistentMap } from "./persistent-map.ts";
import { eachValue, EMPTY_MAP, filterEntries, getEntry, withEntry } from "./persistent-map.ts";
import { toSystemPromptId } from "./system-prompt.ts";

export type OpenCall = {
  readonly id: number;
  readonly startedAt: string;
  readonly settled: boolean;
  readonly approvalId?: ApprovalId;
};

type ModelCallOpening = RowOf<typeof OPEN_MODEL_CALL> & { readonly id: number };

type OpenStep = {
  readonly id: number;
  readonly startedAt: string;
  /** What its row begins with; null once it has ended. */
  readonly opening: ModelCallOpening | null;
};

/** What must be known of a run's earlier events to project its next one. */
export type RunProjection = {
  readonly messageId: number;
  /** The latest model call. Its whole row is written when it ends; `underWayOf` gives what a store may write before. */
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

const NOTHING: readonly Operation[] = [];

export const project = ({ event, sessionNumber, run, parent }: ProjectOptions): Projected => {
  const id = toEventKey(sessionNumber, event.seq);
  if (event.type === "run.requested")
    return { operations: [openRun(event, id, parent)], run: { messageId: id, step: null, calls: EMPTY_MAP } };
  if (run === undefined) throw new Error(`Event ${event.seq} is of run ${event.runId}, which was never requested.`);
  switch (event.type) {
    case "run.started":
      return { operations: [update(run.messageId, MARK, { status: "running" })], run };
    case "model.requested": {
      const opening: ModelCallOpening = {
        id,
        session_id: event.sessionId,
        parent_message_id: run.messageId,
        started_at: event.at,
        agent_role: event.agent,
        agent_depth: event.depth,
        model_id: event.model,
        request_type: "continuation",
        context_token_count: isTokenCount(event.estimatedTokens) ? event.estimatedTokens : 0,
        iteration_count: 1,
        metadata_json: event.handIn ? '{"handIn":true}' : null,
        run_id: event.runId,
        seq: event.seq,
        step: event.step,
      };
      return {
        operations: run.step?.opening ? [interruptStep(run.step, run.step.opening, event.at)] : NOTHING,
        run: { ...run, step: { id, startedAt: event.at, opening } },
      };
    }
    case "model.answered": {
      if (!run.step?.opening) return { operations: NOTHING, run };
      const { usage, costUsd } = toPossibleSpent(event);
      return {
        operations: [
          insert(ANSWERED_MODEL_CALL, {
            ...run.step.opening,
            completed_at: event.at,
            duration_ms: toElapsedMs(run.step.startedAt, event.at),
            response_content: toAnswerText(event.content),
            tool_calls_json: toToolCallsJson(event.content),
            prompt_tokens: usage.input,
            completion_tokens: usage.output,
            total_tokens: usage.input + usage.output,
            status: "completed",
            outcome: event.finishReason,
            cached_tokens: usage.cached,
            reasoning_tokens: usage.reasoning,
            cost_usd: costUsd,
          }),
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
          operations: [update(call.id, ANSWER_APPROVAL, { approval: "asked", approval_reason: null })],
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
        operations: [
          update(call.id, ANSWER_APPROVAL, {
            approval: event.allowed ? "allowed" : "denied",
            approval_reason: event.reason ?? null,
          }),
        ],
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
        operations: [
          update(call.id, START_APPROVED, {
            status: "running",
            started_at: event.at,
            request_content: input,
            effect: event.effect,
          }),
        ],
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
    case "message.withdrawn":
    case "turn.queued":
    case "turn.withdrawn":
    case "message.delivered":
    case "cancel.requested":
    case "run.parked":
    case "run.finishing":
    case "limit.reached":
    case "result.rejected":
    case "guardrail.refused":
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

/** The row of the run's model call while it is under way. What the call's end writes takes its place. */
export const underWayOf = ({ step }: RunProjection): Operation | undefined =>
  step?.opening ? insert(UNDER_WAY, { ...step.opening, status: "running" }) : undefined;

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
  return insert(OPEN_RUN, {
    id,
    session_id: event.sessionId,
    parent_message_id: parentCall?.id ?? parent?.messageId ?? null,
    started_at: event.at,
    agent_role: event.agent,
    agent_depth: event.depth,
    model_id: spec.model,
    system_prompt_id: toSystemPromptId(spec),
    request_type: event.depth === 0 ? "prompt" : "delegation",
    request_content: toText(event.task),
    context_mode: spec.contextMode ?? null,
    max_iterations: spec.limits.iterations ?? null,
    max_duration_ms: spec.limits.durationMs ?? null,
    status: "pending",
    metadata_json: JSON.stringify(metadata),
    run_id: event.runId,
    seq: event.seq,
  });
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
    insert(OPEN_TOOL_CALL, {
      id,
      session_id: event.sessionId,
      // The row of a model call that has not ended is not there yet.
      parent_message_id: run.step?.opening === null ? run.step.id : run.messageId,
      started_at: event.at,
      agent_role: event.agent,
      agent_depth: event.depth,
      request_type: "tool_call",
      request_content: call.input,
      status: call.status,
      run_id: event.runId,
      seq: event.seq,
      tool_name: call.tool,
      call_id: call.callId,
      effect: call.effect,
      approval: call.approvalId === undefined ? null : "asked",
    }),
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
  const row: RowOf<typeof SETTLE_TOOL_CALL> = {
    completed_at: event.at,
    duration_ms: toElapsedMs(call.startedAt, event.at),
    response_content: toText(event.content),
    files_modified_json: event.files === undefined ? null : toTouchedJson(event.files.modified, event.files.created),
    status: toCallStatus(event),
    error_message: event.error?.message ?? null,
    outcome: event.outcome,
    error_code: event.error?.code ?? null,
    files_created_json: event.files === undefined ? null : JSON.stringify(event.files.created),
    artifact_id: event.artifact?.artifactId ?? null,
  };
  return event.sandbox === undefined
    ? update(call.id, SETTLE_TOOL_CALL, row)
    : update(call.id, SETTLE_COMMAND, { ...row, metadata_json: JSON.stringify({ sandbox: event.sandbox }) });
};

const settleRun = (result: RunResult, at: string, id: number): Operation => {
  const { usage, costUsd } = toPossibleSpent(result, MAX_TOTAL_TOKENS);
  return update(id, SETTLE_RUN, {
    completed_at: at,
    duration_ms: Math.round(result.durationMs),
    context_token_count: isTokenCount(result.contextTokens) ? result.contextTokens : 0,
    response_content: result.details,
    response_summary: result.summary,
    files_modified_json: toTouchedJson(result.filesModified, result.filesCreated),
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    iteration_count: result.iterations,
    bailout_reason: result.bailoutReason ?? null,
    status: toRunStatus(result),
    error_message: result.error?.message ?? null,
    outcome: result.status,
    error_code: result.error?.code ?? null,
    files_created_json: JSON.stringify(result.filesCreated),
    cached_tokens: usage.cached,
    reasoning_tokens: usage.reasoning,
    cost_usd: costUsd,
  });
};

/** A summary of old context is a model call like any other: it cost tokens and money. */
const recordSummary = (
  event: EventOf<"context.fitted">,
  summary: NonNullable<EventOf<"context.fitted">["summary"]>,
  id: number,
  run: RunProjection,
): readonly Operation[] => {
  const { usage, costUsd } = toPossibleSpent(summary);
  const operation = insert(ANSWERED_MODEL_CALL, {
    id,
    session_id: event.sessionId,
    parent_message_id: run.messageId,
    started_at: event.at,
    agent_role: event.agent,
    agent_depth: event.depth,
    model_id: summary.model,
    request_type: "continuation",
    context_token_count: isTokenCount(event.beforeTokens) ? event.beforeTokens : 0,
    iteration_count: 1,
    metadata_json: '{"contextSummary":true}',
    run_id: event.runId,
    seq: event.seq,
    step: null,
    completed_at: event.at,
    duration_ms: null,
    response_content: summary.text,
    tool_calls_json: null,
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    status: "completed",
    outcome: "stop",
    cached_tokens: usage.cached,
    reasoning_tokens: usage.reasoning,
    cost_usd: costUsd,
  });
  return [operation];
};

const recordReceived = (event: EventOf<"message.received">, id: number, run: RunProjection): readonly Operation[] => [
  insert(RECEIVE, {
    id,
    session_id: event.sessionId,
    parent_message_id: run.messageId,
    started_at: event.at,
    completed_at: event.at,
    agent_role: event.agent,
    agent_depth: event.depth,
    request_type: "prompt",
    request_content: toText(event.content),
    status: "completed",
    metadata_json: JSON.stringify({ from: event.from }),
    run_id: event.runId,
    seq: event.seq,
  }),
];

type Failure = RowOf<typeof FAIL>;

const toFailure = (
  open: { readonly startedAt: string },
  at: string,
  status: MessageStatus,
  error: Pick<ErrorValue, "message"> & { readonly code: ErrorValue["code"] | null },
): Failure => ({
  completed_at: at,
  duration_ms: toElapsedMs(open.startedAt, at),
  status,
  outcome: status === "cancelled" ? "cancelled" : "error",
  error_message: error.message,
  error_code: error.code,
});

/** What was still open when the run went on without it, or ended. */
const toInterruption = (open: { readonly startedAt: string }, at: string, result?: RunResult): Failure =>
  result?.status === "cancelled"
    ? toFailure(open, at, "cancelled", { message: "The run was cancelled first.", code: "cancelled" })
    : toFailure(open, at, "failed", {
        message: "It was under way when the process ended or the run was stopped.",
        code: null,
      });

const failStep = (opening: ModelCallOpening, failure: Failure): Operation =>
  insert(FAILED_MODEL_CALL, { ...opening, ...failure });

const interruptStep = (step: OpenStep, opening: ModelCallOpening, at: string, result?: RunResult): Operation =>
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
