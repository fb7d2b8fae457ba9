import type { ModelRequest } from "@retinue/model/contract";
import { createScriptedModel } from "@retinue/model/testing";
import type { RecordedEvent, RunId, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import { createManualClock, createSpec, defineTool, fold } from "@retinue/runtime";
import type { EventLog } from "@retinue/store";
import { createMemoryLog } from "@retinue/store";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createEmbeddedEngine } from "./embedded-engine.ts";

const agent = (name: string, delegates: string[] = []): AgentDefinition => ({
  ...agentFrontMatterSchema.parse({ name, description: `Is ${name}.`, delegates, grant: "session" }),
  prompt: `You are ${name}.`,
});

const AGENTS = new Map([agent("lead", ["helper"]), agent("helper")].map((one) => [one.name, one]));

const act = (what: string) => ({ tool: "act", input: { what }, callId: `act-${what}` });

/** The lead acts, has its helper act, writes something long, and is done. */
const script = ({ system }: ModelRequest, answered: number) => {
  if (system.startsWith("You are helper.")) return [{ toolCalls: [act("two")] }, { text: "Helped." }][answered];
  return [
    { toolCalls: [act("one")] },
    { toolCalls: [{ tool: "delegate_to_agent", input: { agent: "helper", task: "Help." }, callId: "help" }] },
    { toolCalls: [act("x".repeat(20_000))] },
    { text: "Done." },
  ][answered];
};

type Options = {
  readonly log: EventLog;
  readonly effects: string[];
  /** Awaited before each answer of a model. */
  readonly hold?: (request: ModelRequest, answered: number) => Promise<unknown>;
};

let ids = 0;

const setUp = ({ log, effects, hold }: Options) => {
  const model = createScriptedModel((request, answered) => {
    const turn = script(request, answered);
    return turn && { ...turn, before: async () => hold?.(request, answered) };
  });
  const tool = defineTool({
    name: "act",
    description: "Acts.",
    input: z.object({ what: z.string() }),
    effect: "execute",
    execute: ({ what }) => {
      effects.push(what.slice(0, 3));
      return `did ${what}`;
    },
  });
  const engine = createEmbeddedEngine({
    log,
    createId: () => String(++ids),
    agents: AGENTS,
    model: model.id,
    maxConcurrent: 2,
    maxChildren: 2,
    unattended: "deny",
    ports: {
      model: () => model,
      tool: (name) => (name === tool.name ? tool : undefined),
      clock: createManualClock(),
      realPath: async (file) => file,
      readFile: async (file) => file,
    },
  });
  const start = (sessionId?: SessionId) => {
    const lead = AGENTS.get("lead");
    if (!lead) throw new Error("no lead");
    const spec = createSpec({
      agent: lead,
      agents: AGENTS,
      grant: { tools: ["act"], writes: [], hosts: [], approve: "all", maxDepth: 1 },
      model: model.id,
      workspace: "/work",
      depth: 0,
      request: { limits: { iterations: 6, toolCalls: 4 } },
    });
    return engine.start({
      agent: "lead",
      task: [{ type: "text", text: "Go." }],
      spec,
      ...(sessionId === undefined ? {} : { sessionId }),
    });
  };
  return { engine, start };
};

const ALL = ["one", "two", "xxx"];

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return "nothing";
  } catch (thrown) {
    return thrown instanceof RetinueError ? thrown.code : String(thrown);
  }
};

/** Each run settled once, and the main one as it would have undisturbed. */
const expectWhole = (events: readonly RecordedEvent[], runId: RunId): void => {
  const states = fold(events);
  expect(states.get(runId)?.result).toMatchObject({ status: "completed", iterations: 4, toolCalls: 3 });
  expect(events.filter(({ type }) => type === "run.settled")).toHaveLength(2);
  expect(events.filter(({ type }) => type === "run.requested")).toHaveLength(2);
};

describe("a run that is taken over", () => {
  test.each([
    ["main run", "You are lead.", 0],
    ["main run with a helper", "You are lead.", 2],
    ["helper", "You are helper.", 0],
  ])("goes on from all that its %s did until then", async (_, who, turn) => {
    const log = createMemoryLog();
    const effects: string[] = [];
    const held = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const first = setUp({
      log,
      effects,
      hold: async ({ system }, answered) => {
        if (!system.startsWith(who) || answered !== turn) return;
        reached.resolve();
        await held.promise;
      },
    });
    const driven = await first.start();
    await reached.promise;
    // Between reading the record and taking the lease, the one that still holds it works to its end.
    const second = setUp({
      effects,
      log: {
        ...log,
        lease: async (runId) => {
          held.resolve();
          await driven.result.catch(() => undefined);
          return log.lease(runId);
        },
      },
    });
    const resumed = await second.engine.resume(driven.runId);
    expect(await resumed.result).toMatchObject({ status: "completed", details: "Done." });
    expect(effects).toEqual(ALL);
    expectWhole(log.read(driven.sessionId), driven.runId);
  });

  test("has spent what was spent until then, below it too, when it is taken in the middle", async () => {
    const log = createMemoryLog();
    const effects: string[] = [];
    /** The first driver waits before these answers of the lead, until it is told to go on. */
    const holds = new Map(
      [1, 3].map((turn) => [turn, { reached: Promise.withResolvers<void>(), held: Promise.withResolvers<void>() }]),
    );
    const first = setUp({
      log,
      effects,
      hold: async ({ system }, answered) => {
        const hold = system.startsWith("You are lead.") ? holds.get(answered) : undefined;
        hold?.reached.resolve();
        await hold?.held.promise;
      },
    });
    const driven = await first.start();
    await holds.get(1)?.reached.promise;
    const second = setUp({
      effects,
      log: {
        ...log,
        // Between reading the record and taking the lease the first one comes to its third act.
        lease: async (runId) => {
          holds.get(1)?.held.resolve();
          await holds.get(3)?.reached.promise;
          return log.lease(runId);
        },
      },
    });
    const resumed = await second.engine.resume(driven.runId, { takeOver: true });
    const { total, remaining } = await resumed.result;
    holds.get(3)?.held.resolve();
    expect(total).toMatchObject({ iterations: 6, toolCalls: 4 });
    expect(remaining).toMatchObject({ iterations: 0, toolCalls: 0 });
    expect(effects).toEqual(ALL);
  });

  test("starts no child for whom it was taken from", async () => {
    const log = createMemoryLog();
    const effects: string[] = [];
    const mayRequest = Promise.withResolvers<void>();
    const requests = Promise.withResolvers<void>();
    const requested = Promise.withResolvers<void>();
    /** Calls back before a child is requested. */
    const watching = (before: () => Promise<void>, after: () => void): EventLog => ({
      ...log,
      append: async (drafts, lease) => {
        const isChild = drafts[0]?.type === "run.requested" && drafts[0].depth === 1;
        if (!isChild) return log.append(drafts, lease);
        await before();
        try {
          return log.append(drafts, lease);
        } finally {
          after();
        }
      },
    });
    const first = setUp({
      effects,
      log: watching(() => {
        requests.resolve();
        return mayRequest.promise;
      }, requested.resolve),
    });
    const driven = await first.start();
    await requests.promise;
    // The one that has taken the run over is about to request the same child when the other wakes up and requests it.
    const second = setUp({
      effects,
      log: watching(
        () => {
          mayRequest.resolve();
          return requested.promise;
        },
        () => {},
      ),
    });
    const resumed = await second.engine.resume(driven.runId);
    expect(await resumed.result).toMatchObject({ status: "completed" });
    expect(await codeOf(driven.result)).toBe("lease_lost");
    expect(effects).toEqual(ALL);
    const events = log.read(driven.sessionId);
    expectWhole(events, driven.runId);
    expect(events.flatMap((event) => (event.type === "tool.settled" ? [event.outcome] : []))).toEqual(["ok", "ok", "ok", "ok"]);
  });
});

describe("a run at work", () => {
  const begin = async () => {
    const log = createMemoryLog();
    const effects: string[] = [];
    const held = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const first = setUp({
      log,
      effects,
      hold: async () => {
        reached.resolve();
        await held.promise;
      },
    });
    const driven = await first.start();
    await reached.promise;
    /** The log as another process on the same store has it. */
    const elsewhere: EventLog = {
      ...log,
      holder: (runId) => {
        const holder = log.holder(runId);
        return holder && { ...holder, host: "box", pid: 4711, isSelf: false };
      },
    };
    return { log, elsewhere, effects, driven, engine: first.engine, release: () => held.resolve() };
  };

  test("is not resumed beside itself", async () => {
    const { engine, driven, effects, release } = await begin();
    expect(await codeOf(engine.resume(driven.runId))).toBe("session_running");
    release();
    expect(await driven.result).toMatchObject({ status: "completed" });
    expect(effects).toEqual(ALL);
    expect(await (await engine.resume(driven.runId)).result).toMatchObject({ status: "completed" });
  });

  test("is refused to another process, and to its next turn there; taken over, it goes on there", async () => {
    const { elsewhere, effects, driven, release } = await begin();
    const other = setUp({ log: elsewhere, effects });
    await expect(other.engine.resume(driven.runId)).rejects.toThrow(/^ses_\w+ is at work in process 4711 on box since 20/);
    expect(await codeOf(other.start(driven.sessionId))).toBe("session_running");
    const taken = await other.engine.resume(driven.runId, { takeOver: true });
    expect(await taken.result).toMatchObject({ status: "completed" });
    release();
    expect(await codeOf(driven.result)).toBe("lease_lost");
    expect(effects).toEqual(ALL);
  });

  test("is refused also when it is found to be held only as its lease is taken", async () => {
    const { log, effects, driven, release } = await begin();
    const late: EventLog = {
      ...log,
      lease: (runId, options) => {
        if (options?.onlyIfFree === true) throw new RetinueError("session_running", "It is at work.");
        return log.lease(runId);
      },
    };
    const other = setUp({ log: late, effects });
    const resumed = await other.engine.resume(driven.runId);
    expect(await codeOf(resumed.result)).toBe("session_running");
    release();
    expect(await driven.result).toMatchObject({ status: "completed" });
  });
});

describe("when a write to the record fails", () => {
  /** Fails at the nth write of any kind, once. */
  const failing = (log: EventLog, nth: number): EventLog => {
    let writes = 0;
    const guard = async <T>(write: () => T | Promise<T>): Promise<T> => {
      if (++writes === nth) throw new RetinueError("store_full", "There is no space.");
      return write();
    };
    return {
      ...log,
      append: (drafts, lease) => guard(() => log.append(drafts, lease)),
      lease: (runId) => guard(() => log.lease(runId)),
      writeArtifact: (sessionId, text) => guard(() => log.writeArtifact(sessionId, text)),
    };
  };

  test("whichever it is, the whole tree stops, nothing is settled for it, and it can be resumed", async () => {
    let nth = 2;
    for (; ; nth += 1) {
      const log = createMemoryLog();
      const effects: string[] = [];
      const driven = await setUp({ log: failing(log, nth), effects }).start();
      const code = await codeOf(driven.result);
      if (code === "nothing") break;
      expect(code).toBe("store_full");
      const left = log.read(driven.sessionId);
      expect(
        left.some((event) => event.type === "run.settled" && event.result.status !== "completed"),
        `write ${nth}`,
      ).toBe(false);
      const resumed = await setUp({ log, effects }).engine.resume(driven.runId);
      expect(await resumed.result, `write ${nth}`).toMatchObject({ status: "completed", details: "Done." });
      expect(new Set(effects).size, `write ${nth}`).toBe(effects.length);
      const events = log.read(driven.sessionId);
      expectWhole(events, driven.runId);
      expect(events.slice(0, left.length)).toEqual(left);
    }
    expect(nth).toBeGreaterThan(15);
  });
});
