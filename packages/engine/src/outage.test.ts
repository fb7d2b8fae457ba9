import type { ScriptedTurn } from "@retinue/model/testing";
import type { RetinueEvent, SessionId } from "@retinue/protocol";
import type { ModelRequest, OutageDecision } from "@retinue/runtime";
import type { MemoryLog } from "@retinue/store";
import { describe, expect, test } from "vitest";
import { askedOf, createTestEngine, delegateTo, testAgent } from "./testing/test-engine.ts";
import { verifyReplay } from "./replay/verify-replay.ts";

const agents = [testAgent("a", { delegates: ["b"], tools: ["echo"], grant: "session" }), testAgent("b", { tools: ["echo"] })];

/** The agent b has a model that is away as long as `isAway` says so. */
const scriptOf =
  (isAway: () => boolean, background = false) =>
  (request: ModelRequest, answered: number): ScriptedTurn => {
    const { agent } = askedOf(request);
    if (agent === "b") return isAway() ? { error: "model_unreachable" } : { text: "b is done." };
    return answered === 0 ? { toolCalls: [delegateTo("b", "look", background ? { background } : {})] } : { text: "a is done." };
  };

const statuses = (log: MemoryLog, sessionId: SessionId): readonly string[] =>
  log.read(sessionId).flatMap((event) => (event.type === "run.settled" ? [`${event.agent} ${event.result.status}`] : []));

const again: OutageDecision = { type: "wait", waitMs: 0, leftMs: 1000 };

describe("a child whose model is away", () => {
  test("is waited for by its parent, and both complete when the model is back", async () => {
    let tries = 0;
    const { log, start, engine } = createTestEngine({
      agents,
      script: scriptOf(() => (tries += 1) <= 3),
      ports: { outage: () => again },
    });
    const { sessionId, result } = await start("go");
    expect(await result).toMatchObject({ status: "completed" });
    expect(statuses(log, sessionId)).toEqual(["b completed", "a completed"]);
    expect(await verifyReplay(log.read(sessionId), engine.toolsFor)).toMatchObject({ divergence: null });
  });

  test.each([false, true])(
    "leaves the whole tree open when the budget is over, and a resume completes it; in the background: %s",
    async (background) => {
      let isAway = true;
      const options = { agents, script: scriptOf(() => isAway, background) };
      const first = createTestEngine({ ...options, ports: { outage: ({ tries }) => (tries < 3 ? again : { type: "leave" }) } });
      const { sessionId, runId, result } = await first.start("go");
      await expect(result).rejects.toMatchObject({ code: "run_left_open" });
      expect(statuses(first.log, sessionId)).toEqual([]);
      isAway = false;
      const second = createTestEngine({ ...options, log: first.log });
      const resumed = await second.engine.resume(runId);
      expect(await resumed.result).toMatchObject({ status: "completed" });
      expect(statuses(first.log, sessionId).toSorted()).toEqual(["a completed", "b completed"]);
      if (!background)
        expect(await verifyReplay(first.log.read(sessionId), second.engine.toolsFor)).toMatchObject({ divergence: null });
    },
  );

  test("is cancelled at once while it is waited for", async () => {
    const { engine, log, start } = createTestEngine({
      agents,
      script: scriptOf(() => true),
      // The clock of these tests stands still: nobody waits to the end.
      ports: { outage: () => ({ type: "wait", waitMs: 60_000, leftMs: 60_000 }) },
    });
    const run = await start("go");
    for await (const event of run as AsyncIterable<RetinueEvent>)
      if (event.type === "model.retrying") await engine.cancel(run.runId, { reason: "Enough." });
    expect(await run.result).toMatchObject({ status: "cancelled", error: { message: "Enough." } });
    expect(statuses(log, run.sessionId)).toEqual(["b cancelled", "a cancelled"]);
  });
});
