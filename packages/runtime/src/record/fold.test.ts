/** What single events make of a run, one claim at a time; whole runs are folded by the tests of the loop. */
import type { AssistantPart, CallId, Message, RecordedBody, ToolOutcome } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import { apply, createState, settledMessages } from "./fold.ts";
import type { RunState } from "./run-state.ts";

const IDENTITY = { sessionId: "ses_test", runId: "run_test", parentRunId: null, depth: 0, agent: "main" } as const;
const AT = "2026-01-01T00:00:00.000Z";
const USAGE = { input: 10, output: 5, cached: 0, reasoning: 0 };

const begin = (more: { readonly delegates?: readonly string[]; readonly fallbacks?: readonly string[] } = {}): RunState =>
  createState({
    ...IDENTITY,
    at: AT,
    type: "run.requested",
    task: [{ type: "text", text: "Do it." }],
    spec: {
      system: "You are a test.",
      model: "a/one",
      fallbacks: [],
      tools: [],
      limits: {},
      treeLimits: {},
      delegates: [],
      workspace: "/work",
      grant: { tools: [], writes: [], hosts: [], approve: "all", maxDepth: 3 },
      ...more,
    },
  });

const take = (state: RunState, ...bodies: readonly RecordedBody[]): RunState => {
  for (const body of bodies) apply(state, { ...IDENTITY, at: AT, ...body });
  return state;
};

const answered = (content: readonly AssistantPart[], more: { readonly costUsd?: number | null } = {}): RecordedBody => ({
  type: "model.answered",
  step: 1,
  model: "a/one",
  content,
  finishReason: "stop",
  usage: USAGE,
  costUsd: 0,
  activeMs: 0,
  ...more,
});

const call = (callId: CallId, tool = "write"): AssistantPart => ({ type: "tool-call", callId, tool, arguments: "{}" });

const started = (callId: CallId): RecordedBody => ({
  type: "tool.started",
  callId,
  tool: "write",
  input: {},
  effect: "write",
  repeatable: false,
});

const settled = (callId: CallId, outcome: ToolOutcome = "ok", activeMs = 0): RecordedBody => ({
  type: "tool.settled",
  callId,
  tool: "write",
  outcome,
  content: [{ type: "text", text: callId }],
  activeMs,
});

const lastMessages = ({ messages }: RunState, count: number): readonly Message[] => messages.slice(-count);

describe("a turn", () => {
  test("is over when its last call is settled, and its results stand in the order of its calls", () => {
    const state = take(begin(), answered([call("c1"), call("c2")]), started("c1"), started("c2"), settled("c2"));
    expect(state.turn).not.toBeNull();
    expect(settledMessages(state)).toHaveLength(1);
    take(state, settled("c1"));
    expect(state.turn).toBeNull();
    expect(lastMessages(state, 2).map((message) => "callId" in message && message.callId)).toEqual(["c1", "c2"]);
    expect(settledMessages(state)).toHaveLength(4);
  });

  test("counts the calls that were started, and no other", () => {
    const state = take(begin(), answered([call("c1"), call("c2")]), started("c1"), settled("c1"), settled("c2", "denied"));
    expect(state.used.toolCalls).toBe(1);
  });

  test.each<[ToolOutcome, boolean]>([
    ["ok", false],
    ["error", true],
    ["denied", true],
    ["cancelled", true],
    ["unknown", true],
  ])("whose call ended as %s is told to the model as an error: %s", (outcome, isError) => {
    const state = take(begin(), answered([call("c1")]), started("c1"), settled("c1", outcome));
    expect(state.messages.at(-1)).toMatchObject({ role: "tool", isError });
  });
});

describe("approvals", () => {
  const ask = (callId: CallId): RecordedBody => ({
    type: "approval.requested",
    approvalId: `apr_${callId}`,
    act: { callId, tool: "write", effect: "write", input: {}, paths: ["a"], hosts: [] },
    hash: `hash of ${callId}`,
  });
  const answer = (callId: CallId, allowed: boolean, scope: "once" | "run" = "once"): RecordedBody => ({
    type: "approval.answered",
    approvalId: `apr_${callId}`,
    allowed,
    scope,
  });

  test("an answer settles the question it is for, and no other", () => {
    const state = take(begin(), answered([call("c1"), call("c2")]), ask("c1"), ask("c2"), answer("c2", true));
    expect([...state.pendingApprovals.keys()]).toEqual(["c1"]);
    expect([...state.givenApprovals.keys()]).toEqual(["c2"]);
    expect(state.givenApprovals.get("c2")).toMatchObject({ hash: "hash of c2", allowed: true, reason: undefined });
  });

  test("only a yes for longer than once holds for acts like it", () => {
    const allowedAfter = (...inputs: readonly RecordedBody[]): number =>
      take(begin(), answered([call("c1")]), ask("c1"), ...inputs).allowed.size;
    expect(allowedAfter(answer("c1", true, "once"))).toBe(0);
    expect(allowedAfter(answer("c1", false, "run"))).toBe(0);
    expect(allowedAfter(answer("c1", true, "run"))).toBe(1);
  });

  test("a settled call leaves no question and no answer behind", () => {
    const state = take(begin(), answered([call("c1"), call("c2")]), ask("c1"), ask("c2"), answer("c1", true));
    take(state, started("c1"), settled("c1"), settled("c2", "cancelled"));
    expect([state.pendingApprovals.size, state.givenApprovals.size]).toEqual([0, 0]);
  });
});

describe("messages", () => {
  const said = (id: string, from: "human" | "run_child" = "human"): RecordedBody => ({
    type: "message.received",
    messageId: `msg_${id}`,
    from,
    content: [{ type: "text", text: id }],
  });

  test("are taken back while they wait, and are in the conversation all the same where the driver had them already", () => {
    const state = take(begin(), said("a"), said("b"), { type: "message.withdrawn", messageId: "msg_a" });
    expect(state.inbox.map(({ messageId }) => messageId)).toEqual(["msg_b"]);
    take(state, { type: "message.delivered", messageIds: ["msg_a", "msg_b"] }, { type: "message.withdrawn", messageId: "msg_b" });
    expect(state.messages.slice(-2).map(({ content }) => JSON.stringify(content))).toEqual([
      expect.stringContaining("a"),
      expect.stringContaining("b"),
    ]);
  });

  test("wait until they are delivered, each once, in the order of the delivery", () => {
    const state = take(begin(), said("a"), said("b"), said("c"), { type: "message.delivered", messageIds: ["msg_b", "msg_a"] });
    expect(state.inbox.map(({ messageId }) => messageId)).toEqual(["msg_c"]);
    expect(lastMessages(state, 2).map(({ content }) => content[0])).toEqual([
      { type: "text", text: "b" },
      { type: "text", text: "a" },
    ]);
    expect(() => take(state, { type: "message.delivered", messageIds: ["msg_a"] })).toThrow("never received");
  });

  test("make an answered run go on", () => {
    const state = take(begin(), answered([{ type: "text", text: "done" }]));
    expect(state.answered).toBe(true);
    take(state, said("a"));
    expect(state.answered).toBe(true);
    take(state, { type: "message.delivered", messageIds: ["msg_a"] });
    expect(state.answered).toBe(false);
  });
});

describe("what was asked of a run from outside", () => {
  test("to finish is not to be cancelled, and the first word counts", () => {
    const finishing = take(begin(), { type: "cancel.requested", finish: true, reason: "enough" });
    expect([finishing.finishRequested, finishing.cancelRequested]).toEqual([{ reason: "enough" }, null]);
    const cancelled = take(begin(), { type: "cancel.requested", reason: "one" }, { type: "cancel.requested", reason: "two" });
    expect([cancelled.finishRequested, cancelled.cancelRequested]).toEqual([null, { reason: "one" }]);
  });
});

describe("time and money", () => {
  test("what was worked before the run parked stays worked, and a run that is driven on is no longer parked", () => {
    const state = take(begin(), { type: "run.parked", on: [{ type: "run", runId: "run_child" }], activeMs: 700 });
    expect([state.parked?.length, state.used.activeMs]).toEqual([1, 700]);
    take(state, { type: "run.started", epoch: 2, resumed: true });
    expect([state.parked, state.used.activeMs]).toEqual([null, 700]);
  });

  test("calls that settle out of order never take time back", () => {
    const state = take(begin(), answered([call("c1"), call("c2")]), started("c1"), started("c2"));
    take(state, settled("c2", "ok", 900), settled("c1", "ok", 400));
    expect(state.used.activeMs).toBe(900);
  });

  test("a call without a price makes the cost unknown, and the others still add up", () => {
    const state = take(begin(), answered([call("c1")], { costUsd: 2 }), started("c1"), settled("c1"));
    take(state, answered([{ type: "text", text: "a" }], { costUsd: null }));
    expect(state.used).toMatchObject({ costUsd: 2, unpriced: true, usage: { input: 20, output: 10 } });
  });

  test("the turn in which a run hands in is none of its iterations", () => {
    const state = take(begin(), answered([call("c1")]), started("c1"), settled("c1"));
    take(state, { type: "limit.reached", limit: "iterations", used: 1, max: 1 }, answered([{ type: "text", text: "so far" }]));
    expect([state.used.iterations, state.handedIn]).toEqual([1, true]);
  });
});

describe("what a run did", () => {
  test("a file that it created is not one that it modified", () => {
    const state = take(begin(), answered([call("c1"), call("c2")]), started("c1"), started("c2"));
    const made = { created: ["new"], modified: ["old"] };
    take(state, { ...settled("c1"), files: made } as RecordedBody);
    take(state, { ...settled("c2"), files: { created: [], modified: ["new", "old"] } } as RecordedBody);
    expect([[...state.filesCreated], [...state.filesModified]]).toEqual([["new"], ["old"]]);
  });
});

describe("context that was fitted", () => {
  const fitted = (from: number, to: number): RecordedBody => ({
    type: "context.fitted",
    cleared: [],
    beforeTokens: 100,
    afterTokens: 40,
    limitTokens: 50,
    summary: { from, to, text: "sum", model: "a/one", usage: USAGE, costUsd: 3 },
  });

  test("puts the summary in place of what it sums up, is paid for, and keeps the task where it is found", () => {
    const before: readonly Message[] = ["a", "b", "c"].map((text) => ({ role: "user", content: [{ type: "text", text }] }));
    const state = createState(
      { ...IDENTITY, at: AT, type: "run.requested", task: [{ type: "text", text: "Do it." }], spec: begin().spec },
      before,
    );
    take(state, fitted(0, 2));
    expect(state.messages.map(({ content }) => content[0])).toEqual([
      { type: "text", text: "sum" },
      { type: "text", text: "c" },
      { type: "text", text: "Do it." },
    ]);
    expect(state.taskIndex).toBe(2);
    expect(state.used).toMatchObject({ costUsd: 3, usage: USAGE });
  });
});

describe("a model that failed", () => {
  test("is followed by the next one, and by a failure where there is none", () => {
    const failed = (next: string | null): RecordedBody => ({
      type: "model.failed",
      step: 1,
      model: "a/one",
      error: { code: "model_unreachable", message: "gone" },
      next,
    });
    const state = take(begin({ fallbacks: ["b/two"] }), failed("b/two"));
    expect([state.modelIndex, state.failure]).toEqual([1, null]);
    expect(take(state, failed(null)).failure).toMatchObject({ code: "model_unreachable" });
  });
});
