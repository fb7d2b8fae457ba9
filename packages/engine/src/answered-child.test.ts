/** A child that parked and was answered goes on at once, while its siblings and other calls of its parent are still at work. */
import type { ScriptedTurn } from "@retinue/model/testing";
import type { ModelRequest } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { expect, test } from "vitest";
import { z } from "zod";
import { verifyReplay } from "./replay/verify-replay.ts";
import { askedOf, createTestEngine, delegateTo, testAgent } from "./testing/test-engine.ts";

type Beside = "a sibling" | "another call";

/** The main agent starts a child that asks before it acts, beside something that works until the gate opens. */
const begin = async (beside: Beside, asks: readonly string[] = ["it"]) => {
  const gate = Promise.withResolvers<void>();
  const slow = defineTool({
    name: "slow",
    description: "Takes long.",
    input: z.object({}),
    effect: "read",
    execute: async () => {
      await gate.promise;
      return "at last";
    },
  });
  const script = (request: ModelRequest, answered: number): ScriptedTurn => {
    const { agent, task } = askedOf(request);
    if (agent === "sibling") return { before: gate.promise, text: "The sibling is done." };
    if (agent === "asker")
      return answered === 0 ? { toolCalls: [{ tool: "act", input: { what: task }, callId: "c" }] } : { text: `Did ${task}.` };
    if (answered > 0) return { text: "Done." };
    const other = beside === "a sibling" ? delegateTo("sibling", "work") : { tool: "slow", input: {}, callId: "slow" };
    return { toolCalls: [...asks.map((what) => delegateTo("asker", what)), other] };
  };
  const made = createTestEngine({
    agents: [
      testAgent("a", { delegates: ["asker", "sibling"], tools: ["slow"], grant: "session" }),
      testAgent("asker", { tools: ["act"] }),
      testAgent("sibling", {}),
    ],
    script,
    tools: [slow],
    grant: { approve: "ask" },
    engine: { unattended: "park" },
  });
  const run = await made.start("go");
  const parked = (): number => made.log.read(run.sessionId).filter(({ type }) => type === "run.parked").length;
  await expect.poll(parked).toBe(asks.length);
  return { ...made, run, release: gate.resolve };
};

test.each<Beside>(["a sibling", "another call"])("it does so while %s works", async (beside) => {
  const { engine, log, run, release, effects } = await begin(beside);
  const [asked] = await engine.approvals(run.sessionId);
  await engine.answer(asked?.approvalId ?? "apr_", { allowed: true });
  await expect
    .poll(() => log.read(run.sessionId).some((event) => event.type === "run.settled" && event.agent === "asker"))
    .toBe(true);
  expect(effects).toEqual(["it"]);
  release();
  expect(await run.result).toMatchObject({ status: "completed" });
  expect(effects).toEqual(["it"]);
  expect(log.read(run.sessionId).filter((event) => event.type === "run.parked" && event.depth === 0)).toEqual([]);
  expect(await verifyReplay(log.read(run.sessionId), engine.toolsFor)).toMatchObject({ divergence: null });
});

test("of two that parked the one that was answered goes on, and the run parks with the other", async () => {
  const { engine, log, run, release, effects } = await begin("a sibling", ["one", "two"]);
  const first = (await engine.approvals(run.sessionId)).find(({ act }) => JSON.stringify(act.input).includes("two"));
  await engine.answer(first?.approvalId ?? "apr_", { allowed: true });
  await expect.poll(() => effects).toEqual(["two"]);
  release();
  expect(await run.outcome).toMatchObject({ type: "parked" });
  const [second] = await engine.approvals(run.sessionId);
  await engine.answer(second?.approvalId ?? "apr_", { allowed: true });
  expect(await run.result).toMatchObject({ status: "completed" });
  expect(effects).toEqual(["two", "one"]);
  expect(log.read(run.sessionId).filter(({ type }) => type === "run.settled")).toHaveLength(4);
});

test("a run that is cancelled while a child of it waits so ends with all of its children", async () => {
  const { engine, log, run } = await begin("a sibling");
  await engine.cancel(run.runId, { reason: "Enough." });
  expect(await run.result).toMatchObject({ status: "cancelled" });
  const settled = log.read(run.sessionId).flatMap((event) => (event.type === "run.settled" ? [event.result.status] : []));
  expect(settled).toEqual(["cancelled", "cancelled", "cancelled"]);
});
