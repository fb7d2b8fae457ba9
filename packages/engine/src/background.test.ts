import type { ScriptedTurn } from "@retinue/model/testing";
import type { RunId, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { ModelRequest } from "@retinue/runtime";
import type { EventLog, MemoryLog } from "@retinue/store";
import { createMemoryLog } from "@retinue/store";
import { describe, expect, test } from "vitest";
import { childRunId } from "./index.ts";
import { askedOf, createTestEngine, cutLog, delegateTo, testAgent } from "./testing/test-engine.ts";

const agents = [
  testAgent("a", { delegates: ["b"], tools: ["echo"], grant: "session", limits: { iterations: 3 } }),
  testAgent("b", { tools: ["echo"] }),
];

const later = async (): Promise<void> => {
  for (let turn = 0; turn < 4; turn += 1) await new Promise(setImmediate);
};

/** Five in the background, of which two work at once, and one in the foreground. */
const script = (request: ModelRequest, answered: number): ScriptedTurn => {
  const { agent, task } = askedOf(request);
  if (agent === "b")
    return answered === 0
      ? { toolCalls: [{ tool: "echo", input: { text: task }, callId: "e" }], before: later }
      : { text: `b did ${task}`, before: later };
  if (answered > 0) return { text: "Done." };
  return {
    toolCalls: [...[1, 2, 3, 4, 5].map((n) => delegateTo("b", `task ${n}`, { background: true })), delegateTo("b", "task 6")],
  };
};

const idsOf = (runId: RunId) => [1, 2, 3, 4, 5].map((n) => childRunId(runId, `to-b-task-${n}`));

const heardOf = (log: MemoryLog, sessionId: SessionId) =>
  log.read(sessionId).flatMap((event) => (event.type === "message.received" ? [event.from] : []));

const settledIn = (log: MemoryLog, sessionId: SessionId) =>
  log.read(sessionId).flatMap((event) => (event.type === "run.settled" ? [`${event.runId} ${event.result.status}`] : []));

describe("a run in the background", () => {
  test("goes on after a resume, wherever the process ended, and its parent hears of it once", async () => {
    const options = { agents, script, engine: { maxConcurrent: 2 } };
    const wholesome = { ...options, agents: [{ ...agents[0], limits: {} }, agents[1]] as typeof agents };
    const first = createTestEngine(wholesome);
    const { sessionId, runId, result } = await first.start("go");
    await result;
    const expected = [runId, ...idsOf(runId), childRunId(runId, "to-b-task-6")].map((id) => `${id} completed`).toSorted();
    expect(settledIn(first.log, sessionId).toSorted()).toEqual(expected);
    for (const { seq } of first.log.read(sessionId).slice(0, -1)) {
      const log = cutLog(first.log, sessionId, (event) => event.seq === seq);
      const { engine } = createTestEngine({ ...wholesome, log });
      await (
        await engine.resume(runId)
      ).result;
      expect(settledIn(log, sessionId).toSorted(), `cut after event ${seq}`).toEqual(expected);
      expect(heardOf(log, sessionId).toSorted(), `cut after event ${seq}`).toEqual(idsOf(runId).toSorted());
    }
  });

  test(
    "is driven once though the process ends anywhere, and the one that goes on ends anywhere again",
    { timeout: 240_000 },
    async () => {
      const alone = (request: ModelRequest, answered: number): ScriptedTurn => {
        if (askedOf(request).agent === "b") return script(request, answered);
        return answered > 0 ? { text: "Done." } : { toolCalls: [delegateTo("b", "task 1", { background: true })] };
      };
      const options = { agents, script: alone };
      const first = createTestEngine(options);
      const { sessionId, runId, result } = await first.start("go");
      await result;
      const child = childRunId(runId, "to-b-task-1");
      const goOn = async (log: MemoryLog): Promise<void> =>
        void (await (
          await createTestEngine({ ...options, log }).engine.resume(runId)
        ).result);
      const cutAt = (log: MemoryLog, seq: number): MemoryLog => cutLog(log, sessionId, (event) => event.seq === seq);
      for (const { seq } of first.log.read(sessionId).slice(0, -1)) {
        const second = cutAt(first.log, seq);
        await goOn(second);
        for (const { seq: again } of second.read(sessionId).slice(seq, -1)) {
          const third = cutAt(second, again);
          await goOn(third);
          const where = `cut after event ${seq} and after event ${again}`;
          expect(settledIn(third, sessionId).toSorted(), where).toEqual([`${child} completed`, `${runId} completed`].toSorted());
          expect(heardOf(third, sessionId), where).toEqual([child]);
          const ofChild = third.read(sessionId).filter((event) => event.runId === child);
          expect(
            ofChild.filter(({ type }) => type === "run.requested"),
            where,
          ).toHaveLength(1);
          expect(
            ofChild.filter(({ type }) => type === "model.answered"),
            where,
          ).toHaveLength(2);
          expect(ofChild.filter((event) => event.type === "run.started" && !event.resumed).length, where).toBeLessThanOrEqual(1);
        }
      }
    },
  );

  test("is heard of once by a parent that parked while it worked, and was driven on before it ended", async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const asking = (request: ModelRequest, answered: number): ScriptedTurn => {
      if (askedOf(request).agent === "b") return { text: "b did it", before: () => gate };
      if (answered > 0) return { text: "Done." };
      return {
        toolCalls: [delegateTo("b", "task 1", { background: true }), { tool: "act", input: { what: "it" }, callId: "c" }],
      };
    };
    const { engine, log, start } = createTestEngine({
      agents: [{ ...agents[0], tools: ["act"], limits: {} }, agents[1]] as typeof agents,
      script: asking,
      grant: { approve: "ask" },
      engine: { unattended: "park" },
    });
    const { sessionId, runId, result, outcome } = await start("go");
    expect(await outcome).toMatchObject({ type: "parked" });
    const [asked] = await engine.approvals(sessionId);
    if (!asked) throw new Error("nothing is asked");
    await engine.answer(asked.approvalId, { allowed: true });
    await expect
      .poll(() => log.read(sessionId).some((event) => event.type === "run.started" && event.runId === runId && event.epoch === 2))
      .toBe(true);
    await later();
    open();
    expect(await result).toMatchObject({ status: "completed" });
    expect(heardOf(log, sessionId)).toEqual([childRunId(runId, "to-b-task-1")]);
  });

  test("is heard of once where several inputs wake it before its turn comes", async () => {
    const [parked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const asking = (request: ModelRequest, answered: number): ScriptedTurn => {
      const { agent, task } = askedOf(request);
      if (agent === "b" && task === "task 2") return { text: "b did it", before: () => gate.promise };
      if (answered > (agent === "b" ? 0 : 1)) return { text: "Done." };
      if (agent === "b") return { toolCalls: [{ tool: "act", input: { what: "it" }, callId: "c" }] };
      if (answered === 0) return { toolCalls: [delegateTo("b", "task 1", { background: true })] };
      return { toolCalls: [delegateTo("b", "task 2")], before: () => parked.promise };
    };
    const { engine, log, start } = createTestEngine({
      agents: [
        { ...agents[0], limits: {} },
        { ...agents[1], tools: ["act"] },
      ] as typeof agents,
      script: asking,
      grant: { approve: "ask" },
      engine: { unattended: "park", maxConcurrent: 1 },
    });
    const { sessionId, runId, result } = await start("go");
    const child = childRunId(runId, "to-b-task-1");
    await expect.poll(() => log.read(sessionId).at(-1)?.type).toBe("run.parked");
    parked.resolve();
    const isNext = () =>
      log.read(sessionId).some((event) => event.type === "run.started" && event.runId !== child && event.runId !== runId);
    await expect.poll(isNext).toBe(true);
    const [asked] = await engine.approvals(sessionId);
    if (!asked) throw new Error("nothing is asked");
    await engine.answer(asked.approvalId, { allowed: true });
    for (const text of ["One.", "Two."]) {
      await later();
      await engine.send(runId, text);
    }
    await later();
    gate.resolve();
    expect(await result).toMatchObject({ status: "completed" });
    expect(heardOf(log, sessionId).toSorted()).toEqual(["human", "human", child]);
  });

  test("settles once where its parent is driven on between its end and what is left of its drive", async () => {
    const [gate, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const asking = (request: ModelRequest, answered: number): ScriptedTurn => {
      if (askedOf(request).agent === "b") return { text: "b did it", before: () => gate.promise };
      if (answered > 0) return { text: "Done." };
      return {
        toolCalls: [delegateTo("b", "task 1", { background: true }), { tool: "act", input: { what: "it" }, callId: "c" }],
      };
    };
    const inner = createMemoryLog();
    let isAnswered = false;
    let session = "ses_" as SessionId;
    // The engine waits for what any log gives; the one in memory gives it at once.
    let say: (runId: RunId) => Promise<void> = async () => {};
    const slow: EventLog = {
      ...inner,
      append: async (drafts, ...rest) => {
        const written = inner.append(drafts, ...rest);
        if (drafts.some((draft) => draft.type === "run.settled" && draft.agent === "b")) await held.promise;
        return written;
      },
      // The run ends, and its parent is spoken to, after the parent was read and before it is taken over.
      lease: async (id) => {
        if (isAnswered) {
          isAnswered = false;
          gate.resolve();
          await expect.poll(() => settledIn(inner, session)).toHaveLength(1);
          await say(id);
        }
        return inner.lease(id);
      },
      // What is left of the run's drive is done while the parent reads what has changed.
      readRuns: async (...args) => {
        if (settledIn(inner, session).length > 0) {
          held.resolve();
          await later();
        }
        return inner.readRuns(...args);
      },
    };
    const { engine, start } = createTestEngine({
      agents: [{ ...agents[0], tools: ["act"], limits: {} }, agents[1]] as typeof agents,
      script: asking,
      grant: { approve: "ask" },
      engine: { unattended: "park" },
      log: slow as unknown as MemoryLog,
    });
    say = (id) => engine.send(id, "Go on.");
    const { sessionId, runId, result, outcome } = await start("go");
    expect(await outcome).toMatchObject({ type: "parked" });
    session = sessionId;
    const child = childRunId(runId, "to-b-task-1");
    const [asked] = await engine.approvals(sessionId);
    if (!asked) throw new Error("nothing is asked");
    isAnswered = true;
    await engine.answer(asked.approvalId, { allowed: true });
    expect(await result).toMatchObject({ status: "completed" });
    expect(settledIn(inner, sessionId)).toEqual([`${child} completed`, `${runId} completed`]);
    expect(heardOf(inner, sessionId).toSorted()).toEqual(["human", child]);
  });

  test("does not outlive the run that started it: at its limit those at work and those that wait are cancelled first", async () => {
    const endless = (request: ModelRequest, answered: number): ScriptedTurn => {
      if (askedOf(request).agent === "b")
        return answered === 0 ? { text: "never", before: new Promise(() => undefined) } : { text: "b" };
      if (request.toolChoice === "none") return { text: "This is what I have." };
      if (answered > 0) return { toolCalls: [{ tool: "echo", input: { text: `${answered}` }, callId: `e${answered}` }] };
      return { toolCalls: [1, 2, 3].map((n) => delegateTo("b", `task ${n}`, { background: true })) };
    };
    const { start, log } = createTestEngine({ agents, script: endless, engine: { maxConcurrent: 2 } });
    const { sessionId, runId, result } = await start("go");
    expect(await result).toMatchObject({ status: "partial", bailoutReason: "max_iterations" });
    const settled = settledIn(log, sessionId);
    expect(settled.at(-1)).toBe(`${runId} partial`);
    expect(settled.slice(0, -1).toSorted()).toEqual(
      idsOf(runId)
        .slice(0, 3)
        .map((id) => `${id} cancelled`)
        .toSorted(),
    );
  });

  test("is not said to have ended where a write failed beside it: it goes on with the tree, and is heard of when it has settled", async () => {
    const log = createMemoryLog();
    let isFull = false;
    /** The disk is full for one write, and there is space again for the next. */
    const full: EventLog = {
      ...log,
      append: async (drafts, lease, how) => {
        if (isFull && drafts.some(({ type, parentRunId }) => type === "tool.settled" && parentRunId === null)) {
          isFull = false;
          throw new RetinueError("store_full", "There is no space.");
        }
        return log.append(drafts, lease, how);
      },
    };
    const waiting =
      (isHeld: boolean) =>
      (request: ModelRequest, answered: number): ScriptedTurn => {
        if (askedOf(request).agent === "b") {
          isFull = isHeld;
          return isHeld ? { before: new Promise(() => undefined) } : { text: "b is done." };
        }
        if (answered === 0) return { toolCalls: [delegateTo("b", "task 1", { background: true })] };
        return answered === 1 && isHeld
          ? { toolCalls: [{ tool: "echo", input: { text: "beside" }, callId: "beside" }], before: later }
          : { text: "Done." };
      };
    const patient = [
      testAgent("a", { delegates: ["b"], tools: ["echo"], grant: "session" }),
      testAgent("b", { tools: ["echo"] }),
    ];
    const made = createTestEngine({ agents: patient, script: waiting(true), engine: { log: full } });
    const { sessionId, runId, result } = await made.start("go");
    await expect(result).rejects.toMatchObject({ code: "store_full" });
    await later();
    expect(heardOf(log, sessionId)).toEqual([]);

    const again = createTestEngine({ agents: patient, script: waiting(false), log });
    await (
      await again.engine.resume(runId)
    ).result;
    const child = childRunId(runId, "to-b-task-1");
    expect(heardOf(log, sessionId)).toEqual([child]);
    expect(settledIn(log, sessionId)).toEqual([`${child} completed`, `${runId} completed`]);
  });
});
