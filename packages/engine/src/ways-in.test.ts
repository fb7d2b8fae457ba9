import type { ScriptedTurn } from "@retinue/model/testing";
import type { RecordedEvent, SessionId } from "@retinue/protocol";
import { isNarrowed, narrow } from "@retinue/runtime";
import type { MemoryLog } from "@retinue/store";
import { createMemoryLog } from "@retinue/store";
import { describe, expect, test } from "vitest";
import { askedOf, createTestEngine, cutLog, delegateTo, testAgent } from "./testing/test-engine.ts";

/** An agent that asks for everything there is. */
const greedy = (name: string, more: Parameters<typeof testAgent>[1] = {}) =>
  testAgent(name, { tools: ["*"], writes: ["**"], hosts: ["*"], grant: "session", delegates: ["greedy", "deep"], ...more });

const NARROW = {
  tools: ["echo"],
  writes: [["tests/**"]],
  hosts: [["example.com"]],
  approve: "ask",
  maxDepth: 2,
} as const;

const main = greedy("main", { accept: { agent: "greedy" }, expose: "delegate" });
const AGENTS = [main, greedy("greedy"), greedy("deep", { delegates: [] })];

const EVERYTHING = { tools: ["*", "act", "echo"] } as const;
const ACT = { tool: "act", input: { what: "harm" }, callId: "act" };

/** Every run tries the tool that nobody above it was granted; the main one starts others in every way that a model has. */
const script = (request: Parameters<typeof askedOf>[0], answered: number): ScriptedTurn => {
  const { agent, task } = askedOf(request);
  if (task.startsWith("Judge whether")) return answered === 0 ? { toolCalls: [ACT] } : { text: "ACCEPT" };
  if (agent === "main")
    return answered === 0
      ? {
          toolCalls: [
            delegateTo("greedy", "one", EVERYTHING),
            delegateTo("greedy", "two", { ...EVERYTHING, background: true }),
            { tool: "greedy", input: { task: "three", ...EVERYTHING }, callId: "as-tool" },
            { ...ACT, callId: "act-main" },
          ],
        }
      : { text: "Done." };
  if (agent === "greedy" && answered === 0) return { toolCalls: [delegateTo("deep", `below ${task}`, EVERYTHING), ACT] };
  if (agent === "deep" && answered === 0) return { toolCalls: [ACT] };
  return { text: "Done." };
};

const requestsOf = (log: MemoryLog, sessionId: SessionId) =>
  log.read(sessionId).filter((event) => event.type === "run.requested");

/** The runs that hold more than the run above may hand on. */
const widerIn = (log: MemoryLog, sessionId: SessionId): readonly string[] => {
  const requests = requestsOf(log, sessionId);
  return requests.flatMap(({ agent, spec, parentRunId, depth }) => {
    const parent = requests.find(({ runId }) => runId === parentRunId);
    const above = parent ? parent.spec.grant : NARROW;
    return isNarrowed(above, spec) && depth <= above.maxDepth ? [] : [agent];
  });
};

describe("G3 every way to start a run takes away and never adds:", () => {
  test("delegation, agents as tools, the background, nesting and the run that verifies", async () => {
    const { start, log, effects } = createTestEngine({ agents: AGENTS, script, grant: NARROW });
    const { result, sessionId } = await start("go");
    expect((await result).status).toBe("completed");
    const requests = requestsOf(log, sessionId);
    expect(requests.map(({ agent, depth }) => `${depth} ${agent}`).toSorted()).toEqual([
      "0 main",
      "1 greedy",
      "1 greedy",
      "1 greedy",
      "1 greedy",
      "2 deep",
      "2 deep",
      "2 deep",
    ]);
    expect(widerIn(log, sessionId)).toEqual([]);
    expect(effects).toEqual([]);
  });

  test("code that starts runs below one at work, as spawn and fanOut do inside a tool", async () => {
    const { engine, start, log, effects } = createTestEngine({ agents: AGENTS, script, grant: NARROW });
    const { sessionId, runId, result } = await start("go");
    const { signal } = new AbortController();
    const [, agent] = AGENTS;
    if (!agent) throw new Error("There is no such agent.");
    const spawn = (task: string) => engine.spawnBelow(runId, { agent, task, limits: {}, tools: ["*"] }, signal);
    await Promise.all([spawn("spawned one"), spawn("spawned two"), spawn("spawned one")]);
    await result;
    // The three, and the one that verifies.
    expect(requestsOf(log, sessionId).filter(({ parentCallId }) => /^(?:spawn|accept)_/.test(parentCallId ?? ""))).toHaveLength(
      4,
    );
    expect(widerIn(log, sessionId)).toEqual([]);
    expect(effects).toEqual([]);
  });

  test("resume, wherever the process ended, and a turn and a fork after it", async () => {
    const first = createTestEngine({ agents: AGENTS, script, grant: NARROW });
    const { sessionId, runId, result } = await first.start("go");
    await result;
    const events = first.log.read(sessionId);
    for (const { seq } of events.slice(0, -1)) {
      const log = cutLog(first.log, sessionId, (event) => event.seq === seq);
      const { engine, effects } = createTestEngine({ agents: AGENTS, script, grant: NARROW, log });
      await (
        await engine.resume(runId)
      ).result;
      expect(widerIn(log, sessionId), `cut after event ${seq}`).toEqual([]);
      expect(effects).toEqual([]);
    }
    let ids = 0;
    const engine = { createId: () => `later-${++ids}` };
    const again = createTestEngine({ agents: AGENTS, script, grant: NARROW, log: first.log, engine });
    const turn = await again.start("go", { sessionId });
    const fork = await again.start("go", { forkedFrom: { sessionId, runId, seq: events.length } });
    await Promise.all([turn.result, fork.result]);
    expect(requestsOf(first.log, fork.sessionId).length).toBeGreaterThan(0);
    for (const id of [sessionId, fork.sessionId]) expect(widerIn(first.log, id)).toEqual([]);
    expect(again.effects).toEqual([]);
  });

  test("a record in which a run holds more than the one above it: it is not driven", async () => {
    const first = createTestEngine({ agents: AGENTS, script, grant: NARROW });
    const { sessionId, runId, result } = await first.start("go");
    await result;
    const isChild = (event: RecordedEvent): boolean => event.type === "run.requested" && event.depth === 1;
    const honest = cutLog(first.log, sessionId, isChild);
    const log = createMemoryLog();
    for (const { seq: _, ...event } of honest.read(sessionId)) {
      const grant = { ...NARROW, tools: ["echo", "act"], approve: "all" as const };
      if (event.type !== "run.requested") log.append([event], log.lease(event.runId));
      else log.append([event.depth === 0 ? event : { ...event, spec: { ...event.spec, tools: ["echo", "act"], grant } }]);
    }
    const forged = requestsOf(log, sessionId).find(({ depth }) => depth === 1)?.runId;
    const { engine, effects } = createTestEngine({ agents: AGENTS, script, grant: NARROW, log });
    await (
      await engine.resume(runId)
    ).result;
    expect(effects).toEqual([]);
    const after = log.read(sessionId);
    expect(after.filter((event) => event.runId === forged).map(({ type }) => type)).toEqual(["run.requested"]);
    expect(after.some((event) => event.type === "tool.settled" && event.error?.code === "grant_exceeded")).toBe(true);
  });

  test("rights that were not made by taking away are told apart from those that were", () => {
    const rights = narrow(NARROW, { tools: ["*"], deniedTools: [], writes: ["**"], hosts: ["*"], grant: "session" });
    expect(isNarrowed(NARROW, rights)).toBe(true);
    const wider = [
      { ...rights, tools: ["act"] },
      ...[
        { tools: ["act"] },
        { writes: [] },
        { writes: [["**"]] },
        { hosts: [["*"]] },
        { approve: "all" as const },
        { maxDepth: 3 },
      ].map((more) => ({ ...rights, grant: { ...rights.grant, ...more } })),
    ];
    for (const one of wider) expect(isNarrowed(NARROW, one), JSON.stringify(one)).toBe(false);
  });
});
