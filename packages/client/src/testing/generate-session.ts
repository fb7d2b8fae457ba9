/**
 * Sessions made up for tests and measurements: trees of runs that take turns, as they would be recorded, with live events between them.
 * The same seed gives the same events. Runs of one session are at work at the same time, so that their events are mixed.
 */
import type { CallId, LiveBody, RecordedBody, RetinueEvent, RunId, RunIdentity, RunResult, SessionId } from "@retinue/protocol";
import { NO_USAGE } from "@retinue/protocol";

export type GeneratedSessionOptions = {
  readonly sessionId?: SessionId;
  readonly seed?: number;
  /** How many runs there are at most. */
  readonly runs?: number;
  /** How many turns a run takes. */
  readonly turns?: number;
  readonly maxDepth?: number;
  /** Runs that are at work at the same time. */
  readonly width?: number;
  readonly withLive?: boolean;
};

type Random = () => number;

const createRandom = (seed: number): Random => {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
};

type Body = RecordedBody | LiveBody;

/** What a run does next: it yields its bodies one by one, and `start` gives it a run below whose end it waits for. */
type Script = Generator<Body | { readonly type: "wait"; readonly runId: RunId }, void, void>;

type World = {
  readonly random: Random;
  readonly options: Required<Omit<GeneratedSessionOptions, "sessionId" | "seed">>;
  readonly start: (parent: RunIdentity | null, parentCallId?: CallId) => RunId | null;
};

const spec = (workspace: string): Extract<RecordedBody, { type: "run.requested" }>["spec"] => ({
  system: "You do what is asked.",
  model: "test/model",
  fallbacks: ["test/other"],
  tools: ["read", "write", "todo"],
  limits: { iterations: 50, tokens: 1_000_000 },
  treeLimits: { toolCalls: 100_000 },
  grant: { tools: ["read"], writes: [], hosts: [], approve: "ask", maxDepth: 5 },
  delegates: ["worker"],
  workspace,
});

const DIGEST = { system: "s", tools: "t", messages: "m" };

const resultOf = ({ depth }: RunIdentity, turns: number): RunResult => ({
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
  iterations: turns,
  toolCalls: turns,
  contextTokens: 100,
  durationMs: 1000,
  usage: NO_USAGE,
  costUsd: 0,
  depth,
});

function* playRun(run: RunIdentity, { random, options, start }: World, parentCallId?: CallId): Script {
  const { turns, withLive } = options;
  const chance = (share: number): boolean => random() < share;
  yield {
    type: "run.requested",
    task: [{ type: "text", text: `Task of ${run.runId}` }],
    spec: spec("/workspace"),
    ...(parentCallId === undefined ? {} : { parentCallId }),
  };
  yield { type: "run.started", epoch: 1, resumed: false };
  for (let step = 1; step <= turns; step += 1) {
    if (chance(0.02)) {
      const messageId = `msg_${run.runId}_${step}` as const;
      yield { type: "message.received", messageId, from: "human", content: [{ type: "text", text: "Be brief." }] };
      if (chance(0.8)) yield { type: "message.delivered", messageIds: [messageId] };
    }
    yield { type: "model.requested", step, model: "test/model", estimatedTokens: 90, digest: DIGEST, handIn: false };
    if (withLive && chance(0.3)) {
      yield { type: "model.delta", step, kind: "text", text: "I will look" };
      const error = { code: "model_overloaded", message: "busy" } as const;
      yield { type: "model.retrying", step, model: "test/model", attempt: 1, waitMs: 10, error };
    }
    if (chance(0.03)) {
      const error = { code: "model_overloaded", message: "busy" } as const;
      yield { type: "model.failed", step, model: "test/model", error, next: "test/other" };
      yield { type: "model.requested", step, model: "test/other", estimatedTokens: 90, digest: DIGEST, handIn: false };
    }
    if (withLive) for (const text of ["I ", "read ", "it."]) yield { type: "model.delta", step, kind: "text", text };
    const callId = `c${step}`;
    const kind = random();
    const tool = kind < 0.15 ? "delegate_to_agent" : kind < 0.3 ? "write" : kind < 0.35 ? "todo" : "read";
    yield {
      type: "model.answered",
      step,
      model: "test/model",
      content: [
        { type: "text", text: "I read it." },
        { type: "tool-call", callId, tool, arguments: '{"path":"a.ts"}' },
      ],
      finishReason: "tool-calls",
      usage: { input: 80 + step, output: 10, cached: 40, reasoning: 2 },
      costUsd: chance(0.05) ? null : 0.001,
      activeMs: step * 100,
    };
    yield* playCall({ random, options, start }, { run, callId, tool, step });
  }
  yield { type: "run.settled", result: resultOf(run, turns) };
}

type Call = { readonly run: RunIdentity; readonly callId: CallId; readonly tool: string; readonly step: number };

function* playCall({ random, options, start }: World, { run, callId, tool, step }: Call): Script {
  const effect = tool === "write" ? "write" : "read";
  if (tool === "write") {
    const approvalId = `apr_${run.runId}_${callId}` as const;
    const act = { callId, tool, effect, input: { path: "a.ts" }, paths: ["/workspace/a.ts"], hosts: [] } as const;
    yield { type: "approval.requested", approvalId, act, hash: "h" };
    const allowed = random() < 0.8;
    yield { type: "approval.answered", approvalId, allowed, scope: "once", source: { via: "command", user: "ada" } };
    if (!allowed) {
      const error = { code: "act_denied", message: "no" } as const;
      yield { type: "tool.settled", callId, tool, outcome: "denied", content: [], error, activeMs: step * 100 + 1 };
      return;
    }
  }
  const input = tool === "todo" ? { items: [{ text: `step ${step}`, status: "pending" }] } : { path: "a.ts" };
  yield { type: "tool.started", callId, tool, input, effect, repeatable: effect === "read" };
  const child = tool === "delegate_to_agent" ? start(run, callId) : null;
  if (child !== null) yield { type: "wait", runId: child };
  if (options.withLive) yield { type: "tool.progress", callId, text: "half" };
  yield {
    type: "tool.settled",
    callId,
    tool,
    outcome: "ok",
    content: [{ type: "text", text: "const a = 1;" }],
    ...(random() < 0.02 ? { spent: { usage: { input: 5, output: 1, cached: 0, reasoning: 0 }, costUsd: 0.0001 } } : {}),
    activeMs: step * 100 + 10,
  };
}

type Playing = { readonly run: RunIdentity; readonly script: Script; waitsFor: RunId | null };

/** The events, one after the other, in the order in which a log would have them. */
export function* generateSession(given: GeneratedSessionOptions = {}): Generator<RetinueEvent, void, void> {
  const { sessionId = "ses_generated", seed = 1 } = given;
  const options = { runs: 20, turns: 6, maxDepth: 4, width: 8, withLive: false, ...given };
  const random = createRandom(seed);
  const playing: Playing[] = [];
  const waiting = new Map<RunId, Playing>();
  const settled = new Set<RunId>();
  let count = 0;

  const start: World["start"] = (parent, parentCallId) => {
    const depth = parent === null ? 0 : parent.depth + 1;
    if (count >= options.runs || depth > options.maxDepth) return null;
    count += 1;
    const run: RunIdentity = {
      sessionId,
      runId: `run_${count}`,
      parentRunId: parent?.runId ?? null,
      depth,
      agent: depth === 0 ? "main" : "worker",
    };
    playing.push({ run, script: playRun(run, { random, options, start }, parentCallId), waitsFor: null });
    return run.runId;
  };

  const begin = Date.parse("2026-01-01T00:00:00.000Z");
  let seq = 0;
  while (playing.length > 0 || count < options.runs) {
    while (playing.length < options.width && count < options.runs) start(null);
    const index = Math.floor(random() * playing.length);
    const one = playing[index];
    if (one === undefined) return;
    const { value, done } = one.script.next();
    if (done === true) {
      remove(playing, index);
      settled.add(one.run.runId);
      const parent = waiting.get(one.run.runId);
      waiting.delete(one.run.runId);
      if (parent) playing.push(parent);
      continue;
    }
    if (value.type === "wait") {
      if (settled.has(value.runId)) continue;
      remove(playing, index);
      waiting.set(value.runId, one);
      continue;
    }
    const isLive = value.type === "model.delta" || value.type === "model.retrying" || value.type === "tool.progress";
    if (!isLive) seq += 1;
    yield { ...one.run, seq, at: new Date(begin + seq * 10).toISOString(), ...value };
  }
}

/** Order among those that play does not matter. */
const remove = (playing: Playing[], index: number): void => {
  const last = playing.pop();
  if (last !== undefined && index < playing.length) playing[index] = last;
};
