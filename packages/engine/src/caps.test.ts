import type { ScriptedTurn } from "@retinue/model/testing";
import type { RecordedEvent, SessionId } from "@retinue/protocol";
import type { ModelRequest } from "@retinue/runtime";
import type { MemoryLog } from "@retinue/store";
import { describe, expect, test } from "vitest";
import { askedOf, createTestEngine, cutLog, delegateTo, testAgent } from "./testing/test-engine.ts";

const requestsOf = (log: MemoryLog, sessionId: SessionId) =>
  log.read(sessionId).filter((event) => event.type === "run.requested");

const deepestIn = (log: MemoryLog, sessionId: SessionId): number =>
  Math.max(...requestsOf(log, sessionId).map(({ depth }) => depth));

const errorsIn = (log: MemoryLog, sessionId: SessionId): readonly string[] =>
  log.read(sessionId).flatMap((event) => (event.type === "tool.settled" && event.error ? [event.error.code] : []));

/** Each of the places at which a process can end: after each event but the last. */
const cutsOf = (log: MemoryLog, sessionId: SessionId): readonly RecordedEvent[] => log.read(sessionId).slice(0, -1);

describe("G5 how deep runs may go", () => {
  const agents = [testAgent("a", { delegates: ["a"], tools: [], grant: "session", expose: "delegate" })];
  /** Always one more, with another task, so that it is no loop that could be told. */
  const script = (request: ModelRequest, answered: number): ScriptedTurn =>
    answered === 0 ? { toolCalls: [delegateTo("a", `${askedOf(request).task} deeper`)] } : { text: "Done." };

  test("is the same after every resume", async () => {
    const first = createTestEngine({ agents, script, grant: { maxDepth: 3 } });
    const { sessionId, runId, result } = await first.start("go");
    await result;
    expect(requestsOf(first.log, sessionId).map(({ depth }) => depth)).toEqual([0, 1, 2, 3]);
    expect(errorsIn(first.log, sessionId)).toEqual(["depth_exceeded"]);
    for (const { seq } of cutsOf(first.log, sessionId)) {
      const log = cutLog(first.log, sessionId, (event) => event.seq === seq);
      const { engine } = createTestEngine({ agents, script, log, grant: { maxDepth: 99 } });
      await (
        await engine.resume(runId)
      ).result;
      expect(
        requestsOf(log, sessionId).map(({ depth }) => depth),
        `cut after event ${seq}`,
      ).toEqual([0, 1, 2, 3]);
    }
  });

  test("is the same for a fork of the deepest run, and for code that starts runs below it", async () => {
    const { engine, start, log } = createTestEngine({ agents, script, grant: { maxDepth: 3 } });
    const { sessionId, result } = await start("go");
    await result;
    const deepest = requestsOf(log, sessionId).at(-1);
    if (!deepest) throw new Error("There is no run.");
    const fork = await start("go on", { forkedFrom: { sessionId, runId: deepest.runId, seq: deepest.seq } });
    await fork.result;
    expect(deepestIn(log, fork.sessionId)).toBeLessThanOrEqual(3);

    const [agent] = agents;
    if (!agent) throw new Error("There is no agent.");
    let refused: unknown;
    const spawning = createTestEngine({
      agents,
      script: () => ({ text: "Done.", before: () => tryBelow() }),
      grant: { maxDepth: 0 },
    });
    const tryBelow = async (): Promise<void> => {
      const { signal } = new AbortController();
      await spawning.engine
        .spawnBelow("run_2", { agent, task: "below", limits: {}, tools: undefined }, signal)
        .catch((thrown: unknown) => (refused = thrown));
    };
    await (
      await spawning.start("go")
    ).result;
    expect(refused).toMatchObject({ code: "depth_exceeded" });
    await engine.close();
  });
});

describe("G5 how many runs one may start", () => {
  const agents = [
    testAgent("a", { delegates: ["b"], tools: [], grant: "session" }),
    testAgent("b", { delegates: ["b"], tools: [], grant: "session", expose: "delegate" }),
  ];
  const script = (request: ModelRequest, answered: number): ScriptedTurn => {
    const { agent, task } = askedOf(request);
    if (agent !== "a" && task.includes("below")) return { text: "Done." };
    return answered < 2
      ? { toolCalls: [1, 2, 3].map((n) => delegateTo("b", `${agent === "a" ? "" : "below "}${task} ${answered}-${n}`)) }
      : { text: "Done." };
  };

  test("is the same at every depth and after every resume", async () => {
    const first = createTestEngine({ agents, script, engine: { maxChildren: 4 } });
    const { sessionId, runId, result } = await first.start("go");
    await result;
    const childrenOf = (log: MemoryLog): readonly number[] =>
      [...Map.groupBy(requestsOf(log, sessionId), ({ parentRunId }) => parentRunId)]
        .filter(([parent]) => parent !== null)
        .map(([, runs]) => runs.length);
    expect(childrenOf(first.log)).toEqual([4, 4, 4, 4, 4]);
    expect(errorsIn(first.log, sessionId).filter((code) => code === "too_many_children")).toHaveLength(10);
    const cuts = cutsOf(first.log, sessionId).filter(({ type }) => type === "run.requested");
    for (const { seq } of cuts) {
      const log = cutLog(first.log, sessionId, (event) => event.seq === seq);
      const { engine } = createTestEngine({ agents, script, log, engine: { maxChildren: 4 } });
      await (
        await engine.resume(runId)
      ).result;
      expect(Math.max(...childrenOf(log)), `cut after event ${seq}`).toBeLessThanOrEqual(4);
    }
  });

  test("leaves a result that no agent may be started for any more to be rejected, and not the run to fail", async () => {
    const accepted = [
      testAgent("a", { delegates: ["b"], tools: [], accept: { agent: "checker" } }),
      testAgent("b", { tools: [] }),
      testAgent("checker", { tools: [], expose: "none" }),
    ];
    const { start, log } = createTestEngine({
      agents: accepted,
      script: (request, answered) =>
        askedOf(request).agent === "a" && answered === 0 ? { toolCalls: [delegateTo("b", "one")] } : { text: "Done." },
      engine: { maxChildren: 1 },
    });
    const { sessionId, result } = await start("go");
    expect(await result).toMatchObject({ status: "failed", error: { code: "not_accepted" } });
    const rejected = log.read(sessionId).filter((event) => event.type === "result.rejected");
    expect(rejected.map(({ reason }) => reason)).toEqual(
      Array.from({ length: 2 }, () => "checker could not verify it: This run has started 1 sub-agents, and 1 is the most."),
    );
  });
});

describe("G5 how many runs of one work at the same time", () => {
  const agents = [testAgent("a", { delegates: ["b"], tools: [], grant: "session" }), testAgent("b", { tools: [] })];
  const TASKS = [1, 2, 3, 4, 5, 6, 7];

  /** Notes how many are at work at once. */
  const createScript = () => {
    const seen = { working: 0, most: 0 };
    const work = async (): Promise<void> => {
      seen.working += 1;
      seen.most = Math.max(seen.most, seen.working);
      for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
      seen.working -= 1;
    };
    const script = (request: ModelRequest, answered: number): ScriptedTurn => {
      if (askedOf(request).agent === "b") return { text: "Done.", before: work };
      if (answered > 0) return { text: "Done." };
      return {
        toolCalls: TASKS.map((n) =>
          n % 2 === 0 ? delegateTo("b", `task ${n}`, { background: true }) : delegateTo("b", `task ${n}`),
        ),
      };
    };
    return { seen, script };
  };

  test("is the same in the background and after every resume", async () => {
    const before = createScript();
    const first = createTestEngine({ agents, script: before.script, engine: { maxConcurrent: 2 } });
    const { sessionId, runId, result } = await first.start("go");
    await result;
    expect(before.seen.most).toBe(2);
    const cuts = cutsOf(first.log, sessionId).filter(({ type }) => type === "run.requested" || type === "run.settled");
    let most = 0;
    for (const { seq } of cuts) {
      const log = cutLog(first.log, sessionId, (event) => event.seq === seq);
      const { seen, script } = createScript();
      const { engine } = createTestEngine({ agents, script, log, engine: { maxConcurrent: 2 } });
      await (
        await engine.resume(runId)
      ).result;
      expect(seen.most, `cut after event ${seq}`).toBeLessThanOrEqual(2);
      most = Math.max(most, seen.most);
    }
    expect(most).toBe(2);
  });
});

describe("runs that code starts", () => {
  const agents = [testAgent("a", { tools: ["spawn"] }), testAgent("b", { tools: [] })];

  test("are found again by agent and task after a resume, and another task is another run", async () => {
    const [, agent] = agents;
    if (!agent) throw new Error("There is no agent.");
    const script = (request: ModelRequest): ScriptedTurn => {
      const { agent: who, task } = askedOf(request);
      return who === "b" ? { text: `b did ${task}` } : { text: "Done.", before: () => work() };
    };
    let work = async (): Promise<void> => undefined;
    const first = createTestEngine({ agents, script });
    const spawnIn = (engine: typeof first.engine, task: string) =>
      engine.spawnBelow("run_2", { agent, task, limits: {}, tools: undefined }, new AbortController().signal);
    work = async () => void (await spawnIn(first.engine, "one"));
    const { sessionId, runId, result } = await first.start("go");
    await result;
    const log = cutLog(first.log, sessionId, ({ type, depth }) => type === "run.settled" && depth === 1);
    const second = createTestEngine({ agents, script, log });
    const summaries: string[] = [];
    work = async () => {
      for (const task of ["two", "one", "one"]) summaries.push((await spawnIn(second.engine, task)).summary);
    };
    await (
      await second.engine.resume(runId)
    ).result;
    expect(summaries).toEqual(["b did two", "b did one", "b did one"]);
    expect(
      second.model.requests.filter((request) => askedOf(request).agent === "b").map((request) => askedOf(request).task),
    ).toEqual(["two", "one"]);
  });
});
