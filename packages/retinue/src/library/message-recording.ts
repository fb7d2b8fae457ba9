/**
 * Records calls that a host makes itself, beside those of agents, in the same tree of `messages`: started, then completed or failed. A call is a run that
 * nobody drives (`recordedOnly`), with one model call where it completed; so lists, trees, search, figures and exports show it like any other.
 */
import type {
  AssistantPart,
  ErrorValue,
  EventDraft,
  RecordedBody,
  RunId,
  RunIdentity,
  RunResult,
  RunSpec,
  RunStatus,
  SessionId,
} from "@retinue/protocol";
import { NO_USAGE, RetinueError } from "@retinue/protocol";
import type { Lease, MessageRow } from "@retinue/store";
import { createId } from "../create-id.ts";
import type { RetinueStore } from "../open-record.ts";

export type MessageStart = {
  /** A new session where absent, unless there is a parent. */
  readonly sessionId?: SessionId;
  /** The row that it hangs below; its run is one deeper. */
  readonly parentMessageId?: number;
  readonly agentRole: string;
  readonly requestContent: string;
  readonly modelId?: string;
  readonly systemPrompt?: string;
  readonly contextMode?: RunSpec["contextMode"];
  readonly maxIterations?: number;
  readonly maxDurationMs?: number;
};

export type MessageComplete = {
  readonly responseContent: string;
  /** Condensed, for the parent; by default the first paragraph. */
  readonly responseSummary?: string;
  readonly toolCalls?: readonly { readonly callId: string; readonly tool: string; readonly arguments: string }[];
  readonly filesModified?: readonly string[];
  readonly filesCreated?: readonly string[];
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly contextTokenCount?: number;
  /** 1 by default. */
  readonly iterationCount?: number;
  /** Null, the default, where the price is not known. */
  readonly costUsd?: number | null;
};

export type MessageFailure = {
  readonly message: string;
  /** `failed` by default. */
  readonly status?: Exclude<RunStatus, "completed" | "partial">;
};

export type MessageRecording = {
  /** Gives the id of the row, which is running from then on. */
  readonly startMessage: (start: MessageStart) => Promise<number>;
  /** Throws `message_unknown` for what `startMessage` did not give, and `run_settled` for what has ended. */
  readonly completeMessage: (messageId: number, complete: MessageComplete) => Promise<void>;
  readonly failMessage: (messageId: number, failure: string | MessageFailure) => Promise<void>;
};

export type MessageRecordingOptions = {
  readonly store: RetinueStore;
  readonly folder: string;
  /** Takes secrets out. */
  readonly clean: <T>(value: T) => T;
  /** Throws where the session is not one of the folder. */
  readonly requireSession: (sessionId: SessionId) => Promise<void>;
};

type OwnRow = MessageRow & { readonly session_id: SessionId; readonly run_id: RunId };

type Open = { readonly identity: RunIdentity; readonly model: string; readonly startedAt: string; readonly lease: Lease };

export const createMessageRecording = ({ store, folder, clean, requireSession }: MessageRecordingOptions): MessageRecording => {
  /** Those that this process started. */
  const open = new Map<number, Open>();

  const append = async (identity: RunIdentity, bodies: readonly RecordedBody[], lease?: Lease): Promise<void> => {
    const at = new Date().toISOString();
    const drafts = bodies.map((body): EventDraft => ({ ...identity, at, ...clean(body) }));
    await store.append(drafts, lease);
  };

  const place = async ({ sessionId, parentMessageId, agentRole }: MessageStart) => {
    const runId: RunId = `run_${createId()}`;
    const below = parentMessageId === undefined ? undefined : await requireRow(parentMessageId);
    const inSession = sessionId ?? below?.session_id;
    if (inSession !== undefined) await requireSession(inSession);
    if (below && sessionId !== undefined && below.session_id !== sessionId)
      throw new RetinueError("usage", `Message ${below.id} is not one of session ${sessionId}.`, {
        hint: "Name the session of the parent, or none.",
      });
    const root = below || inSession === undefined ? undefined : await store.latestRoot(inSession);
    if (sessionId !== undefined && !below && !root)
      throw new RetinueError("session_unknown", `There is no session ${sessionId}.`, {
        hint: "Without a session, a new one begins.",
      });
    // While the session's main run is at work, it is the parent.
    const parentRunId = below?.run_id ?? (root && !root.isSettled ? root.runId : null);
    const depth = below ? below.agent_depth + 1 : parentRunId === null ? 0 : 1;
    const identity: RunIdentity = { sessionId: inSession ?? `ses_${createId()}`, runId, parentRunId, depth, agent: agentRole };
    return {
      identity,
      ...(below?.call_id == null ? {} : { parentCallId: below.call_id }),
      ...(root?.isSettled ? { continues: root.runId } : {}),
    };
  };

  const requireRow = async (messageId: number): Promise<OwnRow> => {
    const row = await store.readSide.message(messageId);
    if (!row) throw unknownMessage(messageId);
    // Columns are plain text; what stands in them was written with these ids.
    return row as OwnRow;
  };

  /** Started here, or by another process that is no longer there. */
  const takeUp = async (messageId: number): Promise<Open> => {
    const known = open.get(messageId);
    if (known) return known;
    const row = await requireRow(messageId);
    await requireSession(row.session_id);
    const [requested] = await store.readRuns(row.session_id, [row.run_id]);
    if (requested?.type !== "run.requested" || requested.spec.recordedOnly !== true || row.call_id !== null || row.step !== null)
      throw unknownMessage(messageId);
    if (row.completed_at !== null) throw new RetinueError("run_settled", `Message ${messageId} has ended.`);
    const { sessionId, runId, parentRunId, depth, agent } = requested;
    return {
      identity: { sessionId, runId, parentRunId, depth, agent },
      model: requested.spec.model,
      startedAt: row.started_at,
      lease: await store.lease(runId, { onlyIfFree: true }),
    };
  };

  const settle = async (messageId: number, { identity, lease }: Open, bodies: readonly RecordedBody[]): Promise<void> => {
    await append(identity, bodies, lease);
    open.delete(messageId);
  };

  return {
    startMessage: async (start) => {
      const { identity, ...more } = await place(start);
      const spec = toSpec(start, folder);
      const startedAt = new Date().toISOString();
      await append(identity, [{ type: "run.requested", task: [{ type: "text", text: start.requestContent }], spec, ...more }]);
      const lease = await store.lease(identity.runId);
      await append(identity, [{ type: "run.started", epoch: lease.epoch, resumed: false }], lease);
      const [row] = (await store.readSide.messages(identity.sessionId, { runId: identity.runId, limit: 1 })).items;
      if (!row) throw new RetinueError("internal", `The row of ${identity.runId} was not written.`);
      open.set(row.id, { identity, model: spec.model, startedAt, lease });
      return row.id;
    },
    completeMessage: async (messageId, complete) => {
      const started = await takeUp(messageId);
      await settle(messageId, started, toCompletion(complete, started));
    },
    failMessage: async (messageId, failure) => {
      const started = await takeUp(messageId);
      const { message, status = "failed" } = typeof failure === "string" ? { message: failure } : failure;
      const error: ErrorValue = { code: "host_call_failed", message };
      const result = toResult(started, { status, summary: message, error, bailoutReason: BAILOUT[status] });
      await settle(messageId, started, [{ type: "run.settled", result }]);
    },
  };
};

const BAILOUT = { failed: "error", cancelled: "cancelled", timeout: "timeout" } as const;

const unknownMessage = (messageId: number): RetinueError =>
  new RetinueError("message_unknown", `Message ${messageId} was not started by startMessage.`);

/** It may do nothing: nobody drives it. */
const toSpec = (
  { systemPrompt = "", modelId = "host", contextMode, maxIterations, maxDurationMs }: MessageStart,
  folder: string,
): RunSpec => ({
  system: systemPrompt,
  model: modelId,
  fallbacks: [],
  tools: [],
  limits: {
    ...(maxIterations === undefined ? {} : { iterations: maxIterations }),
    ...(maxDurationMs === undefined ? {} : { durationMs: maxDurationMs }),
  },
  treeLimits: {},
  grant: { tools: [], writes: [], hosts: [], approve: "read-only", maxDepth: 0 },
  delegates: [],
  workspace: folder,
  ...(contextMode === undefined ? {} : { contextMode }),
  recordedOnly: true,
});

const toCompletion = (complete: MessageComplete, started: Open): readonly RecordedBody[] => {
  const { responseContent, responseSummary, toolCalls = [], filesModified = [], filesCreated = [] } = complete;
  const {
    promptTokens = 0,
    completionTokens = 0,
    contextTokenCount = promptTokens,
    iterationCount = 1,
    costUsd = null,
  } = complete;
  const usage = { ...NO_USAGE, input: promptTokens, output: completionTokens };
  const content: readonly AssistantPart[] = [
    { type: "text", text: responseContent },
    ...toolCalls.map(({ callId, tool, arguments: written }) => ({
      type: "tool-call" as const,
      callId,
      tool,
      arguments: written,
    })),
  ];
  const { model } = started;
  return [
    {
      type: "model.requested",
      step: 1,
      model,
      estimatedTokens: contextTokenCount,
      digest: { system: "", tools: "", messages: "" },
      handIn: false,
    },
    { type: "model.answered", step: 1, model, content, finishReason: "stop", usage, costUsd, activeMs: sinceMs(started) },
    {
      type: "run.settled",
      result: toResult(started, {
        status: "completed",
        summary: responseSummary ?? responseContent.split("\n\n", 1)[0] ?? "",
        details: responseContent,
        filesModified,
        filesCreated,
        iterations: iterationCount,
        toolCalls: toolCalls.length,
        contextTokens: contextTokenCount,
        usage,
        costUsd,
      }),
    },
  ];
};

const sinceMs = ({ startedAt }: Open): number => Math.max(0, Date.now() - Date.parse(startedAt));

const toResult = (started: Open, known: Partial<RunResult> & Pick<RunResult, "status" | "summary">): RunResult => ({
  details: "",
  filesModified: [],
  filesCreated: [],
  testsRun: 0,
  testsPassed: 0,
  warnings: [],
  unverified: [],
  suggestions: [],
  findings: [],
  iterations: 0,
  toolCalls: 0,
  contextTokens: 0,
  durationMs: sinceMs(started),
  usage: NO_USAGE,
  costUsd: 0,
  depth: started.identity.depth,
  agent: started.identity.agent,
  ...known,
});
