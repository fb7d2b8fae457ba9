/** Events said in a few words: a session whose runs speak, numbered as a log would. */
import type {
  EventOf,
  LiveBody,
  RecordedBody,
  RecordedEvent,
  LiveEvent,
  RunId,
  RunIdentity,
  RunResult,
  SessionId,
} from "@retinue/protocol";
import { NO_USAGE } from "@retinue/protocol";

type Requested = Extract<RecordedBody, { type: "run.requested" }>;

export type Speaker = {
  readonly identity: RunIdentity;
  readonly say: (body: RecordedBody) => RecordedEvent;
  readonly live: (body: LiveBody) => LiveEvent;
  readonly requested: (more?: Partial<Requested>) => RecordedEvent;
  readonly started: (resumed?: boolean) => RecordedEvent;
  readonly asked: (step: number, more?: Partial<Extract<RecordedBody, { type: "model.requested" }>>) => RecordedEvent;
  /** Words, and calls by id of the tools that are named. */
  readonly answered: (step: number, text: string, calls?: Readonly<Record<string, string>>) => RecordedEvent;
  readonly toolStarted: (callId: string, tool: string, more?: Partial<EventOf<"tool.started">>) => RecordedEvent;
  readonly toolSettled: (callId: string, tool: string, more?: Partial<EventOf<"tool.settled">>) => RecordedEvent;
  readonly settled: (more?: Partial<RunResult>) => RecordedEvent;
};

export type EventSource = {
  readonly sessionId: SessionId;
  readonly run: (runId: RunId, parent?: RunIdentity, agent?: string) => Speaker;
};

export const createEventSource = (sessionId: SessionId = "ses_a"): EventSource => {
  let seq = 0;
  const stamp = (): { readonly seq: number; readonly at: string } => ({
    seq,
    at: new Date(Date.UTC(2026, 0, 1) + seq * 1000).toISOString(),
  });
  const run: EventSource["run"] = (runId, parent, agent = parent ? "worker" : "main") => {
    const identity: RunIdentity = {
      sessionId,
      runId,
      parentRunId: parent?.runId ?? null,
      depth: parent ? parent.depth + 1 : 0,
      agent,
    };
    const say = (body: RecordedBody): RecordedEvent => {
      seq += 1;
      return { ...identity, ...stamp(), ...body };
    };
    return {
      identity,
      say,
      live: (body) => ({ ...identity, ...stamp(), ...body }),
      requested: (more = {}) =>
        say({ type: "run.requested", task: [{ type: "text", text: `task of ${runId}` }], spec: SPEC, ...more }),
      started: (resumed = false) => say({ type: "run.started", epoch: 1, resumed }),
      asked: (step, more = {}) =>
        say({ type: "model.requested", step, model: "test/model", estimatedTokens: 50, digest: DIGEST, handIn: false, ...more }),
      answered: (step, text, calls = {}) =>
        say({
          type: "model.answered",
          step,
          model: "test/model",
          content: [
            { type: "text", text },
            ...Object.entries(calls).map(([callId, tool]) => ({ type: "tool-call", callId, tool, arguments: "{}" }) as const),
          ],
          finishReason: Object.keys(calls).length > 0 ? "tool-calls" : "stop",
          usage: { input: 100, output: 10, cached: 5, reasoning: 1 },
          costUsd: 0.25,
          activeMs: step * 100,
        }),
      toolStarted: (callId, tool, more = {}) =>
        say({ type: "tool.started", callId, tool, input: {}, effect: "read", repeatable: true, ...more }),
      toolSettled: (callId, tool, more = {}) =>
        say({ type: "tool.settled", callId, tool, outcome: "ok", content: [{ type: "text", text: "ok" }], activeMs: 1, ...more }),
      settled: (more = {}) => say({ type: "run.settled", result: { ...RESULT, depth: identity.depth, ...more } }),
    };
  };
  return { sessionId, run };
};

const DIGEST = { system: "s", tools: "t", messages: "m" };

const SPEC: Requested["spec"] = {
  system: "You do what is asked.",
  model: "test/model",
  fallbacks: [],
  tools: ["read"],
  limits: { iterations: 5, tokens: 1000 },
  treeLimits: { toolCalls: 10 },
  grant: { tools: ["read"], writes: [], hosts: [], approve: "ask", maxDepth: 3 },
  delegates: [],
  workspace: "/workspace",
};

const RESULT: RunResult = {
  status: "completed",
  summary: "Done.",
  details: "Done, all of it.",
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
  costUsd: 0,
  depth: 0,
};
