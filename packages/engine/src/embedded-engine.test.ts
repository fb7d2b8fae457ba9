import { createScriptedModel } from "@retinue/model/testing";
import type { RetinueEvent, RunSpec } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { defineTool } from "@retinue/runtime";
import { createManualClock, toRecordedLines } from "@retinue/runtime/testing";
import { createMemoryLog } from "@retinue/store";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { EngineOptions } from "./contract.ts";
import { createEmbeddedEngine } from "./embedded-engine.ts";

const look = defineTool({ name: "look", description: "Looks.", input: z.object({}), effect: "read", execute: () => "seen" });

const spec: RunSpec = {
  system: "You are a test.",
  model: "scripted/model",
  fallbacks: [],
  tools: ["look"],
  limits: {},
  treeLimits: {},
  grant: { tools: ["look"], writes: [], hosts: [], approve: "all", maxDepth: 3 },
  delegates: [],
  workspace: "/work",
};

/** No sub-agents and nobody to ask. */
const ALONE = { agents: new Map(), model: "scripted/model", maxConcurrent: 3, maxChildren: 10, unattended: "deny" } as const;

let ids = 0;

const setUp = (model: ReturnType<typeof createScriptedModel>, log = createMemoryLog(), tool = look) => {
  const options: EngineOptions = {
    log,
    createId: () => String(++ids),
    ports: {
      model: () => model,
      tool: () => tool,
      clock: createManualClock(),
      realPath: async (file) => file,
      readFile: async () => "",
    },
    ...ALONE,
  };
  return { engine: createEmbeddedEngine(options), log };
};

const collect = async (events: AsyncIterable<RetinueEvent>): Promise<RetinueEvent[]> => {
  const all: RetinueEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
};

const task = [{ type: "text", text: "Do it." }] as const;

describe("the embedded engine", () => {
  test("commits the request before it answers, then runs it", async () => {
    const { engine, log } = setUp(
      createScriptedModel([{ toolCalls: [{ tool: "look", input: {}, callId: "c1" }] }, { text: "Done." }]),
    );
    const handle = await engine.start({ agent: "main", task, spec });
    expect(log.read(handle.sessionId)[0]).toMatchObject({ type: "run.requested", seq: 1, runId: handle.runId });
    const events = await collect(handle);
    expect(toRecordedLines(events)).toEqual([
      "run.requested",
      "run.started",
      "model.requested 1 scripted/model",
      "model.answered 1 scripted/model tool-calls",
      "tool.started c1 look",
      "tool.settled c1 look ok",
      "model.requested 2 scripted/model",
      "model.answered 2 scripted/model stop",
      "run.settled completed",
    ]);
    expect(await handle.result).toMatchObject({ status: "completed", details: "Done." });
    expect(log.read(handle.sessionId)).toEqual(events.filter((event) => event.type !== "model.delta"));
  });

  test("goes on with the conversation of a session", async () => {
    const model = createScriptedModel([{ text: "My name is Ada." }, { text: "Ada." }]);
    const { engine } = setUp(model);
    const first = await engine.start({ agent: "main", task, spec });
    await first.result;
    const second = await engine.start({
      agent: "main",
      task: [{ type: "text", text: "What is your name?" }],
      spec,
      sessionId: first.sessionId,
    });
    expect(await second.result).toMatchObject({ details: "Ada." });
    expect(second.sessionId).toBe(first.sessionId);
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  test("goes on with a session whose last run is not settled, without the calls that have no results", async () => {
    const log = createMemoryLog();
    const never = new Promise<string>(() => undefined);
    const stuck = defineTool({ name: "look", description: "Looks.", input: z.object({}), effect: "write", execute: () => never });
    const first = setUp(createScriptedModel([{ toolCalls: [{ tool: "look", input: {}, callId: "c1" }] }]), log, stuck);
    const lost = await first.engine.start({ agent: "main", task, spec });
    for await (const event of lost) if (event.type === "tool.started") break;
    const model = createScriptedModel([{ text: "Fine." }]);
    const second = setUp(model, log);
    const next = await second.engine.start({
      agent: "main",
      task: [{ type: "text", text: "And now?" }],
      spec,
      sessionId: lost.sessionId,
    });
    expect(await next.result).toMatchObject({ details: "Fine." });
    expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual(["user", "user"]);
  });

  test("a session that does not exist is refused and nothing is written", async () => {
    const { engine, log } = setUp(createScriptedModel([]));
    await expect(engine.start({ agent: "main", task, spec, sessionId: "ses_nope" })).rejects.toMatchObject({
      code: "session_unknown",
    });
    expect(log.read("ses_nope")).toEqual([]);
  });

  test("a run whose process is gone is resumed by another, and the first can write nothing any more", async () => {
    const log = createMemoryLog();
    const frozen = Promise.withResolvers<void>();
    const first = setUp(
      createScriptedModel([
        { toolCalls: [{ tool: "look", input: {}, callId: "c1" }] },
        { before: frozen.promise, text: "Too late." },
      ]),
      log,
    );
    const lost = await first.engine.start({ agent: "main", task, spec });
    for await (const event of lost) if (event.type === "model.requested" && event.step === 2) break;

    const second = setUp(createScriptedModel([{ text: "Done." }]), log);
    const resumed = await second.engine.resume(lost.runId);
    expect(toRecordedLines(await collect(resumed))).toEqual([
      "run.started resumed",
      "model.requested 2 scripted/model",
      "model.answered 2 scripted/model stop",
      "run.settled completed",
    ]);
    frozen.resolve();
    await expect(lost.result).rejects.toMatchObject({ code: "lease_lost" });
    expect(log.read(lost.sessionId).filter((event) => event.type === "run.settled")).toHaveLength(1);
    expect(await resumed.result).toMatchObject({ details: "Done.", toolCalls: 1, iterations: 2 });
  });

  test("resuming a run that is settled gives its result and asks nobody", async () => {
    const model = createScriptedModel([{ text: "Done." }]);
    const { engine, log } = setUp(model);
    const handle = await engine.start({ agent: "main", task, spec });
    const result = await handle.result;
    const before = log.read(handle.sessionId).length;
    expect(await (await engine.resume(handle.runId)).result).toEqual(result);
    expect(log.read(handle.sessionId)).toHaveLength(before);
  });

  test("a run can be left at any event, for another model and with other words, in a session of its own", async () => {
    const model = createScriptedModel([
      { text: "Let me look.", toolCalls: [{ tool: "look", input: {}, callId: "c1" }] },
      { text: "The first end." },
      { text: "The other end." },
      { text: "Without a word." },
    ]);
    const { engine, log } = setUp(model);
    const first = await engine.start({ agent: "main", task, spec });
    await first.result;
    const events = log.read(first.sessionId);
    const seqOf = (type: string): number => events.find((event) => event.type === type)?.seq ?? 0;

    const point = { sessionId: first.sessionId, runId: first.runId, seq: seqOf("tool.settled") };
    const fork = await engine.start({
      agent: "main",
      task: [{ type: "text", text: "And now?" }],
      spec: { ...spec, system: "Another." },
      forkedFrom: point,
    });
    expect(await fork.result).toMatchObject({ details: "The other end." });
    expect(fork.sessionId).not.toBe(first.sessionId);
    expect(log.read(fork.sessionId)[0]).toMatchObject({ forkedFrom: point });
    expect(model.requests[2]).toMatchObject({ system: "Another." });
    expect(model.requests[2]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
    expect(log.read(first.sessionId)).toEqual(events);

    // A call that was open at that event is left out with its turn.
    const silent = await engine.start({ agent: "main", task: [], spec, forkedFrom: { ...point, seq: seqOf("tool.started") } });
    expect(await silent.result).toMatchObject({ details: "Without a word." });
    expect(model.requests[3]?.messages).toEqual([{ role: "user", content: task }]);
  });

  test("an unknown run cannot be resumed", async () => {
    await expect(setUp(createScriptedModel([])).engine.resume("run_nope")).rejects.toMatchObject({ code: "run_unknown" });
  });

  test("closing leaves what runs open, and another engine goes on with it", async () => {
    const { engine, log } = setUp(createScriptedModel([{ before: () => new Promise(() => undefined) }]));
    const handle = await engine.start({ agent: "main", task, spec });
    await engine.close();
    await expect(handle.result).rejects.toMatchObject({ code: "run_left_open" });
    expect(log.read(handle.sessionId).some(({ type }) => type === "run.settled")).toBe(false);
    const next = setUp(createScriptedModel([{ text: "Done." }]), log);
    expect(await (await next.engine.resume(handle.runId)).result).toMatchObject({ status: "completed", details: "Done." });
  });

  test("a caller's signal cancels the run", async () => {
    const stop = new AbortController();
    const { engine } = setUp(createScriptedModel([{ before: () => new Promise(() => queueMicrotask(() => stop.abort())) }]));
    const handle = await engine.start({ agent: "main", task, spec, signal: stop.signal });
    expect(await handle.result).toMatchObject({ status: "cancelled" });
  });

  test("a fault of our own is recorded and thrown to the host", async () => {
    const broken = {
      id: "scripted/model",
      price: () => {
        throw new TypeError("boom");
      },
      stream: async function* () {},
    };
    const log = createMemoryLog();
    const engine = createEmbeddedEngine({
      log,
      createId: () => "1",
      ports: {
        model: () => broken,
        tool: () => look,
        clock: createManualClock(),
        realPath: async (file) => file,
        readFile: async () => "",
      },
      ...ALONE,
    });
    const handle = await engine.start({ agent: "main", task, spec: { ...spec, limits: { costUsd: 1 } } });
    await expect(handle.result).rejects.toThrow("boom");
    expect(log.read(handle.sessionId).at(-1)).toMatchObject({
      type: "run.settled",
      result: { status: "failed", error: { code: "internal", message: "boom" } },
    });
  });

  test("a listener that falls behind misses live events only", async () => {
    const text = "x".repeat(20_000);
    const { engine } = setUp(createScriptedModel([{ text, chunkSize: 1 }]));
    const handle = await engine.start({ agent: "main", task, spec });
    const result = await handle.result;
    const events = await collect(handle);
    expect(toRecordedLines(events)).toEqual([
      "run.requested",
      "run.started",
      "model.requested 1 scripted/model",
      "model.answered 1 scripted/model stop",
      "run.settled completed",
    ]);
    expect(events.length).toBeLessThan(20_000);
    expect(result.details).toBe(text);
  });

  test("errors of the log stop the run instead of letting it act unrecorded", async () => {
    let looked = 0;
    const counting = defineTool({
      name: "look",
      description: "Looks.",
      input: z.object({}),
      effect: "write",
      execute: () => String(++looked),
    });
    const log = createMemoryLog();
    const full = {
      ...log,
      append: (...parameters: Parameters<typeof log.append>) => {
        if (parameters[0].some(({ type }) => type === "tool.started")) throw new RetinueError("internal", "the disk is full");
        return log.append(...parameters);
      },
    };
    const { engine } = setUp(createScriptedModel([{ toolCalls: [{ tool: "look", input: {} }] }]), full, counting);
    const handle = await engine.start({ agent: "main", task, spec });
    await expect(handle.result).rejects.toThrow("the disk is full");
    expect(looked).toBe(0);
  });
});
