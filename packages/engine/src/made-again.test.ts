/** Calls that are made again, after a cut or after they waited outside of memory: what they started, said or paid for is not started, said or paid for twice. */
import type { ScriptedTurn } from "@retinue/model/testing";
import type { RecordedEvent, RunId } from "@retinue/protocol";
import type { ModelRequest } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Engine } from "./contract.ts";
import { childRunId } from "./index.ts";
import { askedOf, createTestEngine, cutLog, delegateTo, testAgent } from "./testing/test-engine.ts";

const later = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
};

describe("a tool that starts a run by code", () => {
  test("finds that run again where the call is made again in the same process", async () => {
    const gate = Promise.withResolvers<void>();
    const b = testAgent("b", { tools: ["act"] });
    const agents = [testAgent("a", { delegates: ["b"], tools: ["start_b", "slow"], grant: "session" }), b];
    const script = (request: ModelRequest, answered: number): ScriptedTurn => {
      if (answered > 0) return { text: "Done." };
      return askedOf(request).agent === "b"
        ? { toolCalls: [{ tool: "act", input: { what: "it" }, callId: "c" }] }
        : {
            toolCalls: [
              { tool: "start_b", input: {}, callId: "s" },
              { tool: "slow", input: {}, callId: "t" },
            ],
          };
    };
    let engine: Engine | null = null;
    const made = createTestEngine({
      agents,
      script,
      grant: { approve: "ask", tools: ["start_b", "slow", "act"] },
      engine: { unattended: "park" },
      tools: [
        defineTool({
          name: "start_b",
          description: "Starts b.",
          input: z.object({}),
          effect: "read",
          timeoutMs: Infinity,
          execute: async (_input, { run, signal }) => {
            const result = await engine?.spawnBelow(run.runId, { agent: b, task: "it", limits: {}, tools: undefined }, signal);
            return result?.status ?? "";
          },
        }),
        defineTool({
          name: "slow",
          description: "Takes its time.",
          input: z.object({}),
          effect: "read",
          timeoutMs: Infinity,
          execute: () => gate.promise.then(() => "at last"),
        }),
      ],
    });
    ({ engine } = made);
    const { sessionId, result } = await made.start("go");
    const asked = async () => made.engine.approvals(sessionId);
    await expect.poll(asked).toHaveLength(1);
    await expect.poll(() => made.log.read(sessionId).some(({ type, depth }) => type === "run.parked" && depth === 1)).toBe(true);
    for (const { approvalId } of await asked()) await made.engine.answer(approvalId, { allowed: true });
    gate.resolve();
    await later();
    for (const { approvalId } of await asked()) await made.engine.answer(approvalId, { allowed: true });
    expect(await result).toMatchObject({ status: "completed" });
    expect(made.effects).toEqual(["it"]);
    expect(made.log.read(sessionId).filter(({ type }) => type === "run.requested")).toHaveLength(2);
  });
});

/** Where a record is cut that is written by several runs: right after the first event that fits. */
const cutRun = async (options: Parameters<typeof createTestEngine>[0], where: (event: RecordedEvent) => boolean) => {
  const whole = createTestEngine(options);
  const { sessionId, runId, result } = await whole.start("go");
  const first = await result;
  const log = cutLog(whole.log, sessionId, where);
  const again = createTestEngine({ ...options, log });
  const second = await (await again.engine.resume(runId)).result;
  return { whole, again, log, sessionId, first, second };
};

describe("a delegation with a summary of the parent's conversation", () => {
  const agents = [testAgent("a", { delegates: ["b"], tools: ["echo"], grant: "session" }), testAgent("b", { tools: ["act"] })];
  const script = (request: ModelRequest, answered: number): ScriptedTurn => {
    if (request.system.startsWith("You compress")) return { text: "What is known so far." };
    if (askedOf(request).agent === "b")
      return answered === 0 ? { toolCalls: [{ tool: "act", input: { what: "it" }, callId: "c" }] } : { text: "b is done." };
    return answered === 0 ? { toolCalls: [delegateTo("b", "it", { context_mode: "summary" })] } : { text: "Done." };
  };

  test("pays for that summary once, though it is cut while the child works", async () => {
    const { whole, again, first, second } = await cutRun(
      { agents, script },
      ({ type, depth }) => type === "model.answered" && depth === 1,
    );
    const summaries = (of: typeof whole) => of.model.requests.filter(({ system }) => system.startsWith("You compress")).length;
    expect([summaries(whole), summaries(again)]).toEqual([1, 0]);
    expect(second).toMatchObject({ usage: first.usage, total: { usage: first.total?.usage } });
  });

  test("pays for that summary once, though the child parks and is driven on", async () => {
    const { engine, model, start } = createTestEngine({
      agents,
      script,
      grant: { approve: "ask" },
      engine: { unattended: "park" },
    });
    const { sessionId, result, outcome } = await start("go");
    expect(await outcome).toMatchObject({ type: "parked" });
    for (const { approvalId } of await engine.approvals(sessionId)) await engine.answer(approvalId, { allowed: true });
    expect(await result).toMatchObject({ status: "completed" });
    expect(model.requests.filter(({ system }) => system.startsWith("You compress"))).toHaveLength(1);
  });

  test("that is refused after all is charged for the summary in the record", async () => {
    const { start } = createTestEngine({ agents, script, engine: { maxChildren: 0 } });
    const { usage, total } = await (await start("go")).result;
    expect(usage.input).toBe(300);
    expect(usage).toEqual(total?.usage);
  });
});

describe("a word to a sub-agent in the background", () => {
  const agents = [testAgent("a", { delegates: ["b"], tools: ["echo"], grant: "session" }), testAgent("b", { tools: ["echo"] })];
  const toB = (runId: RunId) => childRunId(runId, "to-b-it");
  const script =
    (tool: "send_to_agent" | "stop_agent") =>
    (request: ModelRequest, answered: number): ScriptedTurn => {
      if (askedOf(request).agent === "b")
        return answered < 2
          ? { toolCalls: [{ tool: "echo", input: { text: `${answered}` }, callId: `e${answered}` }], before: later }
          : { text: "b is done." };
      if (answered === 0) return { toolCalls: [delegateTo("b", "it", { background: true })] };
      const run = toB("run_2");
      const input = tool === "send_to_agent" ? { run, message: "Be quick." } : { run, reason: "Not needed." };
      return answered === 1 ? { toolCalls: [{ tool, input, callId: "w" }] } : { text: "Done." };
    };
  const settledOf = (events: readonly RecordedEvent[]) =>
    events.flatMap((event) => (event.type === "tool.settled" && event.callId === "w" ? [[event.outcome, event.content]] : []));

  test("is heard once, though the parent is cut before the call is settled", async () => {
    const { whole, log, sessionId } = await cutRun(
      { agents, script: script("send_to_agent") },
      (event) => event.type === "message.received" && event.depth === 1,
    );
    const said = log.read(sessionId).filter((event) => event.type === "message.received" && event.depth === 1);
    expect(said).toHaveLength(1);
    expect(settledOf(log.read(sessionId))).toEqual(settledOf(whole.log.read(sessionId)));
  });

  test("to stop is answered alike, though the parent is cut before the call is settled", async () => {
    const { whole, log, sessionId } = await cutRun(
      { agents, script: script("stop_agent") },
      (event) => event.type === "cancel.requested" && event.depth === 1,
    );
    expect(settledOf(log.read(sessionId))).toEqual(settledOf(whole.log.read(sessionId)));
    expect(log.read(sessionId).filter(({ type }) => type === "cancel.requested")).toHaveLength(1);
  });

  test.each([
    ["send_to_agent", "completed"],
    ["stop_agent", "cancelled"],
  ] as const)("by %s reaches one that waits outside of memory", async (tool, status) => {
    const asking = (request: ModelRequest, answered: number): ScriptedTurn => {
      if (askedOf(request).agent === "b")
        return answered === 0 ? { toolCalls: [{ tool: "act", input: { what: "it" }, callId: "c" }] } : { text: "b is done." };
      return answered === 1 ? { ...script(tool)(request, answered), before: later } : script(tool)(request, answered);
    };
    const made = createTestEngine({
      agents: [testAgent("a", { delegates: ["b"], grant: "session" }), testAgent("b", { tools: ["act"] })],
      script: asking,
      grant: { approve: "ask" },
      engine: { unattended: "park" },
    });
    const { sessionId, runId, result } = await made.start("go");
    await expect.poll(() => settledOf(made.log.read(sessionId))).toHaveLength(1);
    expect(settledOf(made.log.read(sessionId))).toMatchObject([["ok", {}]]);
    if (tool === "send_to_agent")
      for (const { approvalId } of await made.engine.approvals(sessionId))
        await made.engine.answer(approvalId, { allowed: true });
    expect(await result).toMatchObject({ status: "completed" });
    const ended = made.log.read(sessionId).find((event) => event.type === "run.settled" && event.runId === toB(runId));
    expect(ended).toMatchObject({ result: { status } });
  });
});
