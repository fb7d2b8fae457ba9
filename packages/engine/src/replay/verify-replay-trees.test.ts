/** A replay of whole trees, as the engine recorded them: none that was only cut, resumed, asked, told or timed is said to differ. */
import type { ModelRequest } from "@retinue/model/contract";
import type { ScriptedTurn } from "@retinue/model/testing";
import type { RecordedEvent, SessionId } from "@retinue/protocol";
import { createManualClock } from "@retinue/runtime";
import { createMemoryLog } from "@retinue/store";
import { describe, expect, test } from "vitest";
import { createGeneratedEngine, FAMILIES, logOf } from "../testing/generated-runs.ts";
import { createMemoryDisk } from "../testing/memory-worktrees.ts";
import { askedOf, createTestEngine, delegateTo, testAgent, type TestEngine } from "../testing/test-engine.ts";
import { verifyReplay } from "./verify-replay.ts";

/** Long records are cut at so many places, equally far apart. */
const MOST_CUTS = 8;

describe.each(Object.values(FAMILIES))("$name", (family) => {
  const differsNowhere = async (seed: number): Promise<void> => {
    const generated = { seed, family };
    const log = createMemoryLog();
    const engine = createGeneratedEngine(generated, log, createMemoryDisk());
    const first = await engine.startTurn();
    if (!first) throw new Error("There is no first turn.");
    const { sessionId } = first;
    for (let handle: typeof first | undefined = first; handle; handle = await engine.startTurn(sessionId)) await handle.result;
    const events = log.read(sessionId);
    const verifyAll = async (recorded: readonly RecordedEvent[], what: string): Promise<void> =>
      expect(await verifyReplay(recorded, engine.toolsFor), what).toEqual({ verified: recorded.length, divergence: null });
    await verifyAll(events, "whole");
    const stride = Math.max(1, Math.ceil(events.length / MOST_CUTS));
    for (let count = 1 + (seed % stride); count < events.length; count += stride) {
      const cut = logOf(events.slice(0, count));
      await createGeneratedEngine(generated, cut, createMemoryDisk()).finish(sessionId);
      await verifyAll(cut.read(sessionId), `cut after ${count} ${events[count - 1]?.type}`);
    }
  };

  test.each([2_003])("seed %i: what was cut after an event and resumed is not said to differ", differsNowhere);

  test.each([2_009, 2_012])(
    "seed %i: what was cut after an event and resumed is not said to differ",
    { tags: ["long"] },
    differsNowhere,
  );
});

const agents = [
  testAgent("main", { tools: ["echo", "act"], delegates: ["planner", "worker"] }),
  testAgent("planner", { tools: [] }),
  testAgent("worker", { tools: ["echo", "act"] }),
  testAgent("orchestrator", { tools: [], expose: "none" }),
];

const once =
  (turns: Readonly<Record<string, readonly ScriptedTurn[]>>) =>
  (request: ModelRequest): ScriptedTurn => {
    const { agent } = askedOf(request);
    const turn = request.messages.filter(({ role }) => role === "assistant").length;
    return turns[agent]?.[turn] ?? { text: `${agent} is done.` };
  };

const noDifference = async ({ engine, log }: TestEngine, sessionId: SessionId): Promise<void> => {
  const events = log.read(sessionId);
  expect(await verifyReplay(events, engine.toolsFor)).toEqual({ verified: events.length, divergence: null });
};

/** The record with one of its events moved before another, as two processes that write at the same time may have it. */
const moveBefore = (
  events: readonly RecordedEvent[],
  isMoved: (event: RecordedEvent) => boolean,
  isAfter: (event: RecordedEvent) => boolean,
): readonly RecordedEvent[] => {
  const moved = events.find(isMoved);
  if (!moved) throw new Error("There is no such event.");
  const rest = events.filter((event) => event !== moved);
  const ordered = rest.toSpliced(rest.findIndex(isAfter), 0, moved);
  return ordered.map((event, index) => ({ ...event, seq: index + 1 }));
};

describe("what is not said to differ", () => {
  test.each(["message.received", "cancel.requested"])(
    "a %s that was recorded before the run was started, and that it took notice of later",
    async (type) => {
      let say = async (): Promise<void> => undefined;
      const made = createTestEngine({
        agents,
        script: (request) => ({
          ...once({ main: [{ toolCalls: [{ tool: "echo", input: { text: "a" }, callId: "a" }] }] })(request),
          beforeAnswer: () => say(),
        }),
      });
      const handle = made.start("go");
      say = async () => {
        say = async () => undefined;
        const { runId } = await handle;
        await (type === "message.received" ? made.engine.send(runId, "and this") : made.engine.cancel(runId, { finish: true }));
      };
      const { sessionId, result } = await handle;
      await result;
      const events = moveBefore(
        made.log.read(sessionId),
        (event) => event.type === type,
        (event) => event.type === "run.started",
      );
      expect(events.map((event) => event.type).slice(0, 3)).toEqual(["run.requested", type, "run.started"]);
      expect(await verifyReplay(events, made.engine.toolsFor)).toEqual({ verified: events.length, divergence: null });
    },
  );

  test("a message that a guardrail refused", async () => {
    let say = async (): Promise<void> => undefined;
    const made = createTestEngine({
      agents,
      script: (request) => ({
        ...once({ main: [{ toolCalls: [{ tool: "echo", input: { text: "a" }, callId: "a" }] }] })(request),
        beforeAnswer: () => say(),
      }),
      engine: { guardrails: { input: [({ text }) => (text.includes("forbidden") ? { refuse: "not that" } : undefined)] } },
    });
    const handle = made.start("go");
    say = async () => made.engine.send((await handle).runId, "forbidden");
    const { sessionId, result } = await handle;
    expect((await result).error?.code).toBe("guardrail_refused");
    await noDifference(made, sessionId);
  });

  test("a question that was open when the run was asked to finish, and one that was not asked any more", async () => {
    const act = (callId: string) => ({ tool: "act", input: { what: callId }, callId });
    const made = createTestEngine({
      agents,
      script: (request) =>
        request.toolChoice === "none" ? { text: "handed in" } : once({ main: [{ toolCalls: [act("a"), act("b")] }] })(request),
      grant: { approve: "ask" },
      engine: { approver: () => new Promise(() => undefined) },
    });
    const { sessionId, runId, result } = await made.start("go");
    await expect.poll(async () => (await made.engine.approvals(sessionId)).length).toBe(1);
    await made.engine.cancel(runId, { finish: true });
    expect((await result).status).toBe("partial");
    expect(made.log.read(sessionId).filter(({ type }) => type === "approval.requested")).toHaveLength(1);
    await noDifference(made, sessionId);
  });

  test("a question below that was parked on, answered from elsewhere, and heard of", async () => {
    const made = createTestEngine({
      agents,
      script: once({
        main: [{ toolCalls: [delegateTo("worker", "act"), { tool: "echo", input: { text: "beside" }, callId: "beside" }] }],
        worker: [{ toolCalls: [{ tool: "act", input: { what: "it" }, callId: "it" }] }],
      }),
      grant: { approve: "ask" },
      engine: { unattended: "park", approvalExpiresMs: 60_000 },
    });
    const handle = await made.start("go");
    await expect.poll(async () => (await made.engine.approvals(handle.sessionId)).length).toBe(1);
    const [open] = await made.engine.approvals(handle.sessionId);
    if (open) await made.engine.answer(open.approvalId, { allowed: true });
    expect((await handle.result).status).toBe("completed");
    expect(made.log.read(handle.sessionId).some(({ type }) => type === "run.parked")).toBe(true);
    await noDifference(made, handle.sessionId);
  });

  test.each([
    ["before the sibling is done", "first", "foreground"],
    ["after the sibling is done", "last", "foreground"],
    ["before the sibling in the background is done", "first", "background"],
    ["after the sibling in the background is done", "last", "background"],
  ] as const)("a child that parks while its sibling works, answered %s", async (_, answered, where) => {
    for (const isChildFirst of [true, false]) {
      let release = (): void => undefined;
      const isReleased = new Promise<void>((resolve) => (release = resolve));
      const parks = delegateTo("worker", "act");
      const works = delegateTo("planner", "slow", where === "background" ? { background: true } : {});
      const script = once({
        main: [{ toolCalls: isChildFirst ? [parks, works] : [works, parks] }],
        worker: [{ toolCalls: [{ tool: "act", input: { what: "it" }, callId: "it" }] }],
      });
      const made = createTestEngine({
        agents,
        script: (request) =>
          askedOf(request).agent === "planner" ? { text: "slowly done", before: () => isReleased } : script(request),
        grant: { approve: "ask" },
        engine: { unattended: "park" },
      });
      const handle = await made.start("go");
      const isRecorded = (type: string, agent: string): boolean =>
        made.log.read(handle.sessionId).some((event) => event.type === type && event.agent === agent);
      await expect.poll(() => isRecorded("run.parked", "worker")).toBe(true);
      const answer = async (): Promise<void> => {
        const [open] = await made.engine.approvals(handle.sessionId);
        if (open) await made.engine.answer(open.approvalId, { allowed: true });
      };
      if (answered === "first") await answer();
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      release();
      await expect.poll(() => isRecorded("run.settled", "planner")).toBe(true);
      if (answered === "last") await answer();
      expect((await handle.result).status).toBe("completed");
      await noDifference(made, handle.sessionId);
    }
  });

  test("a run that waits for another in the background, is told something, and is asked to finish", async () => {
    let release = (): void => undefined;
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    const script = once({ main: [{ toolCalls: [delegateTo("worker", "slow", { background: true })] }] });
    const made = createTestEngine({
      agents,
      script: (request) => (askedOf(request).agent === "worker" ? { text: "late", before: () => isReleased } : script(request)),
    });
    const handle = await made.start("go");
    const asked = (): number =>
      made.log.read(handle.sessionId).filter(({ type, runId }) => type === "model.answered" && runId === handle.runId).length;
    // Its answer is on record when it waits for the one in the background.
    await expect.poll(asked).toBe(2);
    await made.engine.send(handle.runId, "one more thing");
    await expect.poll(asked).toBe(3);
    await made.engine.cancel(handle.runId, { finish: true, reason: "enough" });
    release();
    await handle.result;
    await noDifference(made, handle.sessionId);
  });

  test("a run that is cancelled while it waits for another in the background", async () => {
    const script = once({ main: [{ toolCalls: [delegateTo("worker", "slow", { background: true })] }] });
    const made = createTestEngine({
      agents,
      script: (request) =>
        askedOf(request).agent === "worker" ? { before: () => new Promise(() => undefined) } : script(request),
    });
    const handle = await made.start("go");
    await expect
      .poll(() =>
        made.log.read(handle.sessionId).filter(({ type, runId }) => type === "model.answered" && runId === handle.runId),
      )
      .toHaveLength(2);
    handle.cancel("enough");
    await handle.result;
    await noDifference(made, handle.sessionId);
  });

  test("a run whose time was over between two turns, by a clock that never stands still", async () => {
    let now = 0;
    const clock = { ...createManualClock(), now: () => (now += 37.3) };
    const made = createTestEngine({
      agents,
      script: (request) =>
        request.toolChoice === "none"
          ? { text: "handed in" }
          : {
              toolCalls: [
                { tool: "echo", input: { text: String(request.messages.length) }, callId: `e${request.messages.length}` },
              ],
            },
      limits: { durationMs: 3_000 },
      ports: { clock },
    });
    const handle = await made.start("go");
    expect(await handle.result).toMatchObject({ status: "partial", bailoutReason: expect.stringMatching(/time|duration/) });
    await noDifference(made, handle.sessionId);
  });

  test("a plan: its parts were written by a call that is not made again", async () => {
    const step = { description: "do it", expectedResult: "it is done", type: "implementation", agent: "worker", dependsOn: [] };
    const plan = {
      goal: "reach it",
      steps: [
        { ...step, id: "a" },
        { ...step, id: "b", requiresApproval: true },
      ],
    };
    const made = createTestEngine({
      agents,
      script: (request) => {
        const { agent } = askedOf(request);
        const isAnswered = request.messages.some(({ role }) => role === "tool");
        if (agent === "orchestrator") return { text: JSON.stringify({ status: "pass", summary: "seen" }) };
        if (agent === "worker") return { text: "RESULT: PASS\nSUMMARY: done" };
        return isAnswered ? { text: "Done." } : { toolCalls: [{ tool: "execute_plan", input: plan, callId: "go" }] };
      },
      grant: { approve: "ask" },
      engine: { unattended: "park" },
    });
    const handle = await made.start("go");
    for (let question = 0; question < 2; question += 1) {
      await expect.poll(async () => (await made.engine.approvals(handle.sessionId)).length).toBe(1);
      const [open] = await made.engine.approvals(handle.sessionId);
      if (open) await made.engine.answer(open.approvalId, { allowed: true });
    }
    await handle.result;
    expect(made.log.read(handle.sessionId).some(({ type }) => type === "plan.settled")).toBe(true);
    await noDifference(made, handle.sessionId);
  });
});
