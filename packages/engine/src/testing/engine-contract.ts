/**
 * The contract of engines as tests: every engine, on every store, runs them in one line and passes all of them. Two engines stand on one record, as two
 * processes do: one drives, the other speaks, answers and stops.
 */
import type { ModelRequest } from "@retinue/runtime";
import { createScriptedModel } from "@retinue/model/testing";
import type { ScriptedTurn } from "@retinue/model/testing";
import type { RecordedEvent, RetinueEvent, RunId, RunSpec, SessionId } from "@retinue/protocol";
import { isLive } from "@retinue/protocol";
import { createSpec, defineTool } from "@retinue/runtime";
import type { Clock } from "@retinue/runtime";
import type { EventLog } from "@retinue/store";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Engine, EngineOptions } from "../contract.ts";
import { verifyReplay } from "../replay/verify-replay.ts";
import { askedOf, delegateTo, testAgent } from "./test-engine.ts";

export type TestRecord = {
  /** Another way to the same record, as another process has it. */
  readonly open: () => Promise<EventLog>;
  readonly close: () => Promise<void>;
};

export type EngineContract = {
  readonly createRecord: () => Promise<TestRecord>;
  readonly createEngine: (options: EngineOptions) => Engine;
};

const AGENTS = [
  testAgent("main", { tools: ["act", "ask"], delegates: ["middle", "worker"] }),
  testAgent("middle", { tools: ["act", "ask"], delegates: ["worker"] }),
  testAgent("worker", { tools: ["act", "ask"] }),
];

const acting = (what: string): ScriptedTurn => ({ toolCalls: [{ tool: "act", input: { what }, callId: `act-${what}` }] });

/** Hands the words of the user on. */
const ASK = defineTool({
  name: "ask",
  description: "Asks the user.",
  input: z.object({ text: z.string() }),
  effect: "read",
  touches: ({ text }) => ({ question: { text, options: [] } }),
  execute: (_, { answer }) => `they said ${JSON.stringify(answer ?? null)}`,
});

const asking = (text: string): ScriptedTurn => ({ toolCalls: [{ tool: "ask", input: { text }, callId: `ask-${text}` }] });

/** What a model says depends on the agent, its task and how far the conversation is: the same in every process. */
type Lines = { readonly [asked: string]: readonly ScriptedTurn[] };

type Cleanups = (() => Promise<void>)[];

/** Engines of one record that share what their tools do to the world. */
const createSetUp =
  ({ createRecord, createEngine }: EngineContract, cleanups: Cleanups) =>
  async (lines: Lines, more: Partial<EngineOptions> = {}) => {
    const record = await createRecord();
    cleanups.push(record.close);
    const effects: string[] = [];
    const tool = defineTool({
      name: "act",
      description: "Acts.",
      input: z.object({ what: z.string() }),
      effect: "execute",
      execute: ({ what }) => {
        effects.push(what);
        return `did ${what}`;
      },
    });
    const script = (request: ModelRequest): ScriptedTurn => {
      const { agent, task } = askedOf(request);
      const turns = request.messages.filter(({ role }) => role === "assistant").length;
      return lines[`${agent}: ${task}`]?.[turns] ?? { text: `${agent} is done.` };
    };
    const agents = new Map(AGENTS.map((agent) => [agent.name, agent]));
    let ids = 0;
    const own = Math.random().toString(36).slice(2, 8);
    const spec: RunSpec = createSpec({
      agent: AGENTS[0] ?? testAgent("main"),
      agents,
      grant: { tools: ["act", "ask"], writes: [], hosts: [], approve: "ask", maxDepth: 3 },
      model: "scripted/model",
      workspace: "/work",
      depth: 0,
      request: { limits: {} },
    });
    const engine = async (options: Partial<EngineOptions> = {}): Promise<{ readonly engine: Engine; readonly log: EventLog }> => {
      const log = await record.open();
      const made = createEngine({
        log,
        createId: () => `${own}${++ids}`,
        agents,
        model: "scripted/model",
        maxConcurrent: 3,
        maxChildren: 20,
        unattended: "park",
        ports: {
          model: () => createScriptedModel(script, { usage: { input: 100, output: 10 } }),
          tool: (wanted) => [tool, ASK].find((one) => one.name === wanted),
          clock: SYSTEM_CLOCK,
          realPath: async (file) => file,
          readFile: async () => "",
        },
        ...more,
        ...options,
      });
      cleanups.push(async () => {
        await made.close();
        await log.close();
      });
      return { engine: made, log };
    };
    const start = (on: Engine, task = "go") => on.start({ agent: "main", task: [{ type: "text", text: task }], spec });
    return { engine, start, effects };
  };

type SetUp = ReturnType<typeof createSetUp>;

const DEEP: Lines = {
  "main: go": [{ toolCalls: [delegateTo("middle", "one")] }, { text: "All is done." }],
  "middle: one": [{ toolCalls: [delegateTo("worker", "two")] }, { text: "middle has it." }],
  "worker: two": [acting("x"), { text: "worker did it." }],
};

/** A main run that waits for its child, whose model does not answer until it is let; one engine drives, the other speaks. */
const waitForChild = async (setUp: SetUp, said = "Done.") => {
  const gate = Promise.withResolvers<void>();
  const { engine, start } = await setUp({
    "main: go": [{ toolCalls: [delegateTo("worker", "slow")] }, { text: said }],
    "worker: slow": [{ before: gate.promise, text: "ok" }],
  });
  const [{ engine: driver, log }, { engine: other }] = [await engine(), await engine()];
  const handle = await start(driver);
  const child = await seen(log, handle.sessionId, (event) => event.type === "model.requested" && event.agent === "worker");
  return { driver, other, log, handle, child, letAnswer: gate.resolve };
};

export const describeEngine = (name: string, contract: EngineContract): void => {
  describe(`an engine ${name}`, () => {
    const cleanups: Cleanups = [];
    afterEach(async () => {
      for (const clean of cleanups.splice(0).toReversed()) await clean();
    });
    const setUp = createSetUp(contract, cleanups);
    testDriving(setUp);
    testQuestions(setUp);
    testInputs(setUp);
  });
};

const testDriving = (setUp: SetUp): void => {
  it("drives a run to its result, and its events come in order and whole", async () => {
    const { engine, start } = await setUp({ "main: go": [{ text: "Done." }] });
    const { engine: driver, log } = await engine();
    const handle = await start(driver);
    const seen = await collect(handle);
    expect(await handle.result).toMatchObject({ status: "completed", details: "Done." });
    expect(await handle.outcome).toMatchObject({ type: "settled" });
    expect(seen.filter((event) => !isLive(event))).toEqual(await log.read(handle.sessionId));
  });

  it("a child in the background that waits for a human does not hold up its parent, and is heard of", async () => {
    const { engine, start, effects } = await setUp({
      "main: go": [
        { toolCalls: [delegateTo("worker", "ask", { background: true })] },
        { text: "Waiting." },
        { text: "Now I know." },
      ],
      "worker: ask": [acting("y"), { text: "worker did y." }],
    });
    const [{ engine: driver, log }, { engine: other }] = [await engine(), await engine()];
    const handle = await start(driver);
    const [question] = await questions(other, 1);
    await seen(log, handle.sessionId, (event) => event.type === "model.answered" && event.depth === 0 && event.step === 2);
    await other.answer(question?.approvalId ?? "apr_none", { allowed: true });
    expect(await handle.result).toMatchObject({ status: "completed", details: "Now I know." });
    expect(effects).toEqual(["y"]);
    const letters = (await log.read(handle.sessionId)).filter(({ type }) => type === "message.received");
    expect(letters).toHaveLength(1);
  });

  it("can be followed from elsewhere, event by event, from any number on", async () => {
    const { engine, start } = await setUp(DEEP);
    const [{ engine: driver, log }, { engine: other }] = [await engine(), await engine()];
    const handle = await start(driver);
    const stop = new AbortController();
    const following = (async () => {
      const events: RecordedEvent[] = [];
      for await (const event of other.follow(handle.sessionId, { afterSeq: 2, signal: stop.signal })) {
        if (isLive(event)) continue;
        events.push(event);
        if (event.type === "run.settled" && event.depth === 0) stop.abort();
      }
      return events;
    })();
    const [question] = await questions(other, 1);
    await other.answer(question?.approvalId ?? "apr_none", { allowed: true });
    await handle.result;
    expect(await following).toEqual(await log.read(handle.sessionId, 2));
  });

  it("leaves runs open when it is closed, and another engine goes on", async () => {
    const { engine, start } = await setUp({
      "main: go": [{ before: once(() => new Promise(() => undefined)), text: "Done." }],
    });
    const { engine: driver, log } = await engine();
    const handle = await start(driver);
    await seen(log, handle.sessionId, ({ type }) => type === "model.requested");
    await driver.close();
    await expect(handle.result).rejects.toMatchObject({ code: "run_left_open" });
    const { engine: next, log: again } = await engine();
    const resumed = await next.resume(handle.runId, { takeOver: true });
    expect(await resumed.result).toMatchObject({ status: "completed", details: "Done." });
    expect((await again.read(handle.sessionId)).filter(({ type }) => type === "run.settled")).toHaveLength(1);
  });
};

const testQuestions = (setUp: SetUp): void => {
  it("parks on a question from any depth; an answer by another engine is driven on by the one that parked it", async () => {
    const { engine, start, effects } = await setUp(DEEP);
    const [{ engine: driver }, { engine: other }] = [await engine(), await engine()];
    const handle = await start(driver);
    expect(await handle.outcome).toMatchObject({ type: "parked" });
    const [question] = await questions(other, 1);
    expect(question).toMatchObject({ path: ["main", "middle", "worker"], depth: 2, act: { input: { what: "x" } } });
    expect(effects).toEqual([]);
    await other.answer(question?.approvalId ?? "apr_none", { allowed: true }, { source: { via: "command", user: "eve" } });
    expect(await handle.result).toMatchObject({ status: "completed", details: "All is done." });
    expect(effects).toEqual(["x"]);
    expect(await other.approvals()).toEqual([]);
  });

  it("a run whose engine is gone while it was parked is taken up by a third, with nothing lost and nothing twice", async () => {
    const { engine, start, effects } = await setUp(DEEP);
    const first = await engine();
    const handle = await start(first.engine);
    await handle.outcome;
    await first.engine.close();
    const { engine: other } = await engine();
    const [question] = await questions(other, 1);
    await other.answer(question?.approvalId ?? "apr_none", { allowed: true });
    const { engine: third, log } = await engine();
    const taken = await third.resume(handle.runId);
    expect(await taken.result).toMatchObject({ status: "completed", details: "All is done." });
    expect(effects).toEqual(["x"]);
    const events = await log.read(handle.sessionId);
    expect(events.filter(({ type }) => type === "approval.requested")).toHaveLength(1);
    expect(events.filter(({ type }) => type === "run.requested")).toHaveLength(3);
    expect(events.filter(({ type }) => type === "run.settled")).toHaveLength(3);
  });

  it("denies what was refused elsewhere, and says why", async () => {
    const { engine, start, effects } = await setUp(DEEP);
    const [{ engine: driver, log }, { engine: other }] = [await engine(), await engine()];
    const handle = await start(driver);
    const [question] = await questions(other, 1);
    await other.answer(question?.approvalId ?? "apr_none", { allowed: false, reason: "not today" });
    expect(await handle.result).toMatchObject({ status: "completed" });
    expect(effects).toEqual([]);
    expect(JSON.stringify(await log.read(handle.sessionId))).toContain("not today");
  });

  it("parks on what an agent asks the user, and hands the words of whoever answers elsewhere to the call that asked", async () => {
    const { engine, start } = await setUp({
      "main: go": [{ toolCalls: [delegateTo("worker", "two")] }, { text: "All is done." }],
      "worker: two": [asking("which"), asking("which else"), asking("and"), { text: "worker knows." }],
    });
    const [{ engine: driver, log }, { engine: other }] = [await engine(), await engine()];
    const handle = await start(driver);
    const [first] = await questions(other, 1);
    expect(first?.act.question).toEqual({ text: "which", options: [] });
    // However wide the answer was given: another question is another one.
    await other.answer(first?.approvalId ?? "apr_none", { allowed: true, scope: "session", text: "the left one" });
    const second = await nextQuestion(other, first);
    await other.answer(second?.approvalId ?? "apr_none", { allowed: false, reason: "you choose" });
    const third = await nextQuestion(other, second);
    await other.answer(third?.approvalId ?? "apr_none", { allowed: true });
    expect(await handle.result).toMatchObject({ status: "completed", details: "All is done." });
    const answers = (await log.read(handle.sessionId)).flatMap((event) =>
      event.type === "tool.settled" && event.tool === "ask" ? event.content : [],
    );
    expect(answers.map((part) => (part.type === "text" ? part.text : part.type))).toEqual([
      'they said "the left one"',
      expect.stringContaining("The user did not answer: you choose Decide yourself"),
      "they said null",
    ]);
  });

  it("answers once: a wrong id, a second answer and a settled run change nothing", async () => {
    const { engine, start, effects } = await setUp(DEEP);
    const [{ engine: driver, log }, { engine: other }] = [await engine(), await engine()];
    const handle = await start(driver);
    const [question] = await questions(other, 1);
    const approvalId = question?.approvalId ?? "apr_none";
    await expect(other.answer("apr_none_x", { allowed: true })).rejects.toMatchObject({ code: "run_unknown" });
    const answers = await Promise.allSettled([
      other.answer(approvalId, { allowed: true }),
      driver.answer(approvalId, { allowed: true }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    await handle.result;
    const before = await log.read(handle.sessionId);
    for (const late of [
      () => other.answer(approvalId, { allowed: false }),
      () => other.send(handle.runId, "too late"),
      () => other.cancel(handle.runId),
    ])
      await expect(late()).rejects.toMatchObject({ code: "run_settled" });
    expect(await log.read(handle.sessionId)).toEqual(before);
    expect(effects).toEqual(["x"]);
  });

  it("asks an approver at once, and closes its prompt when somebody else answers first", async () => {
    const prompted = Promise.withResolvers<AbortSignal>();
    const { engine, start, effects } = await setUp(DEEP);
    const { engine: driver } = await engine({
      approver: (_, signal) => {
        prompted.resolve(signal);
        return new Promise(() => undefined);
      },
    });
    const { engine: other } = await engine();
    const handle = await start(driver);
    const signal = await prompted.promise;
    const [question] = await questions(other, 1);
    await other.answer(question?.approvalId ?? "apr_none", { allowed: true });
    expect(await handle.result).toMatchObject({ status: "completed" });
    expect(signal.aborted).toBe(true);
    expect(effects).toEqual(["x"]);
  });

  it("denies a question that nobody answers in time", async () => {
    const { engine, start, effects } = await setUp(DEEP, { approvalExpiresMs: 50 });
    const { engine: driver } = await engine({ approver: () => new Promise(() => undefined) });
    const handle = await start(driver);
    expect(await handle.result).toMatchObject({ status: "completed" });
    expect(effects).toEqual([]);
  });
};

const testInputs = (setUp: SetUp): void => {
  it("delivers what another engine says before the next turn", async () => {
    const { other, log, handle, letAnswer } = await waitForChild(setUp);
    await other.send(handle.runId, "Be quick.");
    await seen(log, handle.sessionId, ({ type }) => type === "message.received");
    letAnswer();
    expect(await handle.result).toMatchObject({ status: "completed" });
    const types = (await log.read(handle.sessionId)).filter(({ runId }) => runId === handle.runId).map(({ type }) => type);
    expect(types.indexOf("message.delivered")).toBeGreaterThan(types.indexOf("message.received"));
  });

  it("does not deliver what was taken back, and takes back only what waits", async () => {
    const { driver, other, log, handle, letAnswer } = await waitForChild(setUp);
    for (const text of ["Be quick.", "Be slow."]) await other.send(handle.runId, text);
    const ids = (await log.read(handle.sessionId)).flatMap((event) =>
      event.type === "message.received" && event.messageId !== undefined ? [event.messageId] : [],
    );
    const [kept = "msg_", back = "msg_"] = ids;
    await other.withdraw(handle.runId, back);
    await expect(other.withdraw(handle.runId, back)).rejects.toMatchObject({ code: "message_unknown" });
    letAnswer();
    await handle.result;
    const delivered = (await log.read(handle.sessionId)).filter(({ type }) => type === "message.delivered");
    expect(delivered).toMatchObject([{ messageIds: [kept] }]);
    await expect(other.withdraw(handle.runId, kept)).rejects.toMatchObject({ code: "message_unknown" });
    expect(await verifyReplay(await log.read(handle.sessionId), driver.toolsFor)).toMatchObject({ divergence: null });
  });

  it("stops one child for another engine, and its parent goes on", async () => {
    const { other, log, handle, child } = await waitForChild(setUp, "Done without it.");
    await other.cancel(child.runId, { reason: "not needed" });
    expect(await handle.result).toMatchObject({ status: "completed", details: "Done without it." });
    expect(settledOf(await log.read(handle.sessionId), child.runId)).toMatchObject({ status: "cancelled" });
  });

  it("settles a parked run that is stopped, with everything below it", async () => {
    const { engine, start, effects } = await setUp(DEEP);
    const [{ engine: driver, log }, { engine: other }] = [await engine(), await engine()];
    const handle = await start(driver);
    await handle.outcome;
    await other.cancel(handle.runId, { reason: "enough" });
    expect(await handle.result).toMatchObject({ status: "cancelled", error: { message: "enough" } });
    const events = await log.read(handle.sessionId);
    expect(events.filter(({ type }) => type === "run.settled")).toHaveLength(3);
    expect(effects).toEqual([]);
    expect(await other.approvals()).toEqual([]);
  });

  it("hands in what it has when it is asked to finish", async () => {
    const { other, log, handle, letAnswer } = await waitForChild(setUp, "This is what I have.");
    await other.cancel(handle.runId, { finish: true, reason: "time for lunch" });
    await seen(log, handle.sessionId, (event) => event.type === "cancel.requested" && event.agent === "worker");
    letAnswer();
    expect(await handle.result).toMatchObject({ status: "partial", details: "This is what I have." });
  });
};

const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  date: () => new Date().toISOString(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

/** Waits until so many questions are open. */
const questions = async (on: Engine, count: number, sessionId?: SessionId) => {
  for (;;) {
    const open = await on.approvals(sessionId);
    if (open.length >= count) return open;
    await pause();
  }
};

/** The question that comes after one that was answered. */
const nextQuestion = async (on: Engine, before: { readonly approvalId: string } | undefined) => {
  for (;;) {
    const [open] = await questions(on, 1);
    if (open?.approvalId !== before?.approvalId) return open;
    await pause();
  }
};

/** The first time it waits; after that it does not. */
const once = (wait: () => Promise<unknown>): (() => Promise<unknown>) => {
  let isFirst = true;
  return async () => {
    const waits = isFirst;
    isFirst = false;
    return waits ? wait() : undefined;
  };
};

const collect = async (events: AsyncIterable<RetinueEvent>): Promise<readonly RetinueEvent[]> => {
  const all: RetinueEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
};

/** The first event of the record that is so. */
const seen = async (log: EventLog, sessionId: SessionId, isIt: (event: RecordedEvent) => boolean): Promise<RecordedEvent> => {
  for (;;) {
    const found = (await log.read(sessionId)).find(isIt);
    if (found) return found;
    await pause();
  }
};

const settledOf = (events: readonly RecordedEvent[], runId: RunId) => {
  const settled = events.find((event) => event.type === "run.settled" && event.runId === runId);
  return settled?.type === "run.settled" ? settled.result : undefined;
};
