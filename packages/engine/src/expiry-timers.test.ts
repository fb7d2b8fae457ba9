/** What waits for a question to expire: it is there as long as the question is open in a living engine, and no longer. */
import type { ScriptedTurn } from "@retinue/model/testing";
import type { Clock, ModelRequest } from "@retinue/runtime";
import { createManualClock } from "@retinue/runtime";
import { expect, test } from "vitest";
import { createTestEngine, testAgent } from "./testing/test-engine.ts";

const HOUR_MS = 3_600_000;

/** Counts what is planned for an hour later. */
const createCountingClock = () => {
  const clock = createManualClock();
  const open = new Set<symbol>();
  const after: Clock["after"] = (ms, callback) => {
    const one = Symbol("planned");
    if (ms >= HOUR_MS / 2) open.add(one);
    const takeBack = clock.after(ms, () => {
      open.delete(one);
      callback();
    });
    return () => {
      open.delete(one);
      takeBack();
    };
  };
  return { clock: { ...clock, after }, planned: () => open.size };
};

const script = (_request: ModelRequest, answered: number): ScriptedTurn =>
  answered === 0 ? { toolCalls: [{ tool: "act", input: { what: "it" }, callId: "c" }] } : { text: "Done." };

const createAsking = () => {
  const { clock, planned } = createCountingClock();
  const made = createTestEngine({
    agents: [testAgent("a", { tools: ["act"] })],
    script,
    grant: { approve: "ask" },
    engine: { unattended: "park", approvalExpiresMs: HOUR_MS },
    ports: { clock },
  });
  return { ...made, clock, planned };
};

test("a question that is answered is not waited for any more", async () => {
  const { engine, start, effects, planned } = createAsking();
  const { sessionId, outcome, result } = await start("go");
  expect(await outcome).toMatchObject({ type: "parked" });
  expect(planned()).toBe(1);
  for (const { approvalId } of await engine.approvals(sessionId)) await engine.answer(approvalId, { allowed: true });
  expect(await result).toMatchObject({ status: "completed" });
  expect(effects).toEqual(["it"]);
  expect(planned()).toBe(0);
});

test("a run that is driven on while its question stays open waits for its end once", async () => {
  const { engine, log, start, planned } = createAsking();
  const { sessionId, runId, outcome } = await start("go");
  expect(await outcome).toMatchObject({ type: "parked" });
  await engine.send(runId, "Are you there?");
  await expect.poll(() => log.read(sessionId).filter(({ type }) => type === "run.parked")).toHaveLength(2);
  expect(planned()).toBe(1);
});

test("an engine that is closed waits for no question", async () => {
  const { engine, start, planned } = createAsking();
  const { outcome } = await start("go");
  expect(await outcome).toMatchObject({ type: "parked" });
  await engine.close();
  expect(planned()).toBe(0);
});

test("a question that expires while its run is parked is answered with no, and the run goes on", async () => {
  const { start, effects, clock, planned } = createAsking();
  const { outcome, result } = await start("go");
  expect(await outcome).toMatchObject({ type: "parked" });
  clock.advance(HOUR_MS + 1);
  expect(await result).toMatchObject({ status: "completed" });
  expect(effects).toEqual([]);
  expect(planned()).toBe(0);
});
