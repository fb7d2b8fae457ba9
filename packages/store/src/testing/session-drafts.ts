/** Well-formed event drafts for tests: a run of one agent, said in a few words. */
import type {
  AssistantPart,
  CallId,
  EventDraft,
  RecordedBody,
  RunId,
  RunIdentity,
  RunResult,
  SessionId,
} from "@retinue/protocol";
import { NO_USAGE } from "@retinue/protocol";

export type RunDrafts = {
  readonly identity: RunIdentity;
  readonly draft: (body: RecordedBody) => EventDraft;
  readonly requested: (task?: string, more?: Partial<Extract<RecordedBody, { type: "run.requested" }>>) => EventDraft;
  readonly started: (epoch: number, resumed?: boolean) => EventDraft;
  readonly asked: (step: number) => EventDraft;
  readonly answered: (step: number, content: string | readonly AssistantPart[]) => EventDraft;
  readonly toolStarted: (callId: CallId, more?: Partial<Extract<RecordedBody, { type: "tool.started" }>>) => EventDraft;
  readonly toolSettled: (
    callId: CallId,
    text: string,
    more?: Partial<Extract<RecordedBody, { type: "tool.settled" }>>,
  ) => EventDraft;
  readonly settled: (more?: Partial<RunResult>) => EventDraft;
};

export type RunDraftsOptions = {
  readonly sessionId?: SessionId;
  readonly runId?: RunId;
  readonly parentRunId?: RunId;
  readonly depth?: number;
  readonly agent?: string;
  /** The time of every draft, by its count from 0; a second apart by default. */
  readonly at?: (count: number) => string;
};

export const createRunDrafts = (options: RunDraftsOptions = {}): RunDrafts => {
  const identity: RunIdentity = {
    sessionId: options.sessionId ?? "ses_a",
    runId: options.runId ?? "run_a",
    parentRunId: options.parentRunId ?? null,
    depth: options.depth ?? 0,
    agent: options.agent ?? "main",
  };
  const at = options.at ?? ((count) => new Date(Date.UTC(2026, 0, 1) + count * 1000).toISOString());
  let count = 0;
  const draft = (body: RecordedBody): EventDraft => ({ ...identity, at: at(count++), ...body });
  return {
    identity,
    draft,
    requested: (task = "look around", more = {}) =>
      draft({
        type: "run.requested",
        task: [{ type: "text", text: task }],
        spec: {
          system: "You look around.",
          model: "test/model",
          fallbacks: [],
          tools: ["read"],
          limits: { iterations: 20, durationMs: 60_000 },
          treeLimits: {},
          grant: { tools: ["read"], writes: [], hosts: [], approve: "ask", maxDepth: 3 },
          delegates: [],
          workspace: "/workspace",
        },
        ...more,
      }),
    started: (epoch, resumed = false) => draft({ type: "run.started", epoch, resumed }),
    asked: (step) =>
      draft({
        type: "model.requested",
        step,
        model: "test/model",
        estimatedTokens: 100 * step,
        digest: { system: "s", tools: "t", messages: `m${step}` },
        handIn: false,
      }),
    answered: (step, content) =>
      draft({
        type: "model.answered",
        step,
        model: "test/model",
        content: typeof content === "string" ? [{ type: "text", text: content }] : content,
        finishReason: typeof content === "string" ? "stop" : "tool-calls",
        usage: { input: 100 * step, output: 10, cached: 50, reasoning: 3 },
        costUsd: 0.001,
        activeMs: 400,
      }),
    toolStarted: (callId, more = {}) =>
      draft({ type: "tool.started", callId, tool: "read", input: { path: "a.ts" }, effect: "read", repeatable: true, ...more }),
    toolSettled: (callId, text, more = {}) =>
      draft({
        type: "tool.settled",
        callId,
        tool: "read",
        outcome: "ok",
        content: [{ type: "text", text }],
        activeMs: 5,
        ...more,
      }),
    settled: (more = {}) =>
      draft({
        type: "run.settled",
        result: {
          status: "completed",
          summary: "Looked around.",
          details: "Looked around everywhere.",
          filesModified: [],
          filesCreated: [],
          testsRun: 0,
          testsPassed: 0,
          warnings: [],
          unverified: [],
          suggestions: [],
          findings: [],
          iterations: 1,
          toolCalls: 0,
          contextTokens: 100,
          durationMs: 1000,
          usage: NO_USAGE,
          costUsd: null,
          depth: identity.depth,
          ...more,
        },
      }),
  };
};
