/** A run in the background goes on while the one above it parks and is driven on: what it spends is spent from the purse of that one as it is now. */
import type { ScriptedTurn } from "@retinue/model/testing";
import type { ModelRequest } from "@retinue/runtime";
import { expect, test } from "vitest";
import { askedOf, createTestEngine, delegateTo, testAgent } from "./testing/test-engine.ts";

const later = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
};

const begin = async (more: Pick<Parameters<typeof createTestEngine>[0], "limits">) => {
  const gate = Promise.withResolvers<void>();
  const script = (request: ModelRequest, answered: number): ScriptedTurn => {
    if (askedOf(request).agent === "b")
      return answered < 3
        ? { toolCalls: [{ tool: "echo", input: { text: `${answered}` }, callId: `e${answered}` }], before: () => gate.promise }
        : { text: "b is done." };
    if (answered > 0) return { text: "Done." };
    return {
      toolCalls: [delegateTo("b", "it", { background: true }), { tool: "act", input: { what: "it" }, callId: "c" }],
    };
  };
  const made = createTestEngine({
    agents: [testAgent("a", { delegates: ["b"], tools: ["act"], grant: "session" }), testAgent("b", { tools: ["echo"] })],
    script,
    grant: { approve: "ask" },
    engine: { unattended: "park" },
    ...more,
  });
  const run = await made.start("go");
  expect(await run.outcome).toMatchObject({ type: "parked" });
  for (const { approvalId } of await made.engine.approvals(run.sessionId))
    await made.engine.answer(approvalId, { allowed: true });
  await expect
    .poll(() =>
      made.log.read(run.sessionId).some((event) => event.type === "run.started" && event.depth === 0 && event.epoch === 2),
    )
    .toBe(true);
  await later();
  return { ...made, run, sessionId: run.sessionId, release: gate.resolve };
};

test("its bill is part of that of the one above", async () => {
  const { log, sessionId, run, release } = await begin({});
  release();
  const { total } = await run.result;
  const spent = log
    .read(sessionId)
    .flatMap((event) => (event.type === "model.answered" ? [event.usage.input] : []))
    .reduce((sum, input) => sum + input, 0);
  expect(total?.usage.input).toBe(spent);
});

test("it is held to what the one above has left", async () => {
  const { log, sessionId, run, release } = await begin({ limits: { iterations: 50, toolCalls: 3 } });
  release();
  await run.result;
  const calls = log.read(sessionId).filter((event) => event.type === "tool.settled" && event.outcome === "ok");
  expect(calls.length).toBeLessThanOrEqual(3);
});

test("it is left with the one above when the engine is closed", async () => {
  const { engine, log, sessionId, run, release } = await begin({});
  const { result } = run;
  result.catch(() => undefined);
  await engine.close();
  await expect(result).rejects.toMatchObject({ code: "run_left_open" });
  const { length } = log.read(sessionId);
  release();
  await later();
  expect(log.read(sessionId)).toHaveLength(length);
});

test("it is asked to finish with the one above", async () => {
  const { engine, log, sessionId, run, release } = await begin({});
  await engine.cancel(run.runId, { finish: true });
  await later();
  release();
  await run.result;
  const asked = log.read(sessionId).filter(({ type }) => type === "cancel.requested");
  expect(asked.map(({ depth }) => depth)).toEqual([0, 1]);
});
