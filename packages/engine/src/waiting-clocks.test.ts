import { createScriptedModel } from "@retinue/model/testing";
import { createManualClock, defineTool } from "@retinue/runtime";
import { expect, test } from "vitest";
import { z } from "zod";
import { askedOf, createTestEngine, delegateTo, testAgent } from "./testing/test-engine.ts";

test("waiting for a human stops every clock above: a parent with 4 s completes though the approver below takes 6 s", async () => {
  const clock = createManualClock();
  const act = defineTool({ name: "act", description: "Acts.", input: z.object({}), effect: "execute", execute: () => "done" });
  const model = createScriptedModel((request, answered) => {
    if (answered > 0) return { text: "Done." };
    const { agent } = askedOf(request);
    if (agent === "a") return { toolCalls: [delegateTo("b", "one")] };
    return agent === "b" ? { toolCalls: [delegateTo("c", "two")] } : { toolCalls: [{ tool: "act", input: {}, callId: "x" }] };
  });
  const limits = { durationMs: 4_000 };
  const { start, log } = createTestEngine({
    agents: [
      testAgent("a", { delegates: ["b"], tools: ["act"], limits }),
      testAgent("b", { delegates: ["c"], tools: ["act"], limits }),
      testAgent("c", { tools: ["act"], limits }),
    ],
    grant: { approve: "ask" },
    script: [],
    engine: {
      approver: async () => {
        clock.advance(6_000);
        return { allowed: true };
      },
      ports: {
        model: () => model,
        tool: (name) => (name === "act" ? act : undefined),
        clock,
        realPath: async (file) => file,
        readFile: async () => "",
      },
    },
  });
  const { sessionId, result } = await start("go");
  expect(await result).toMatchObject({ status: "completed", durationMs: 0 });
  const ended = log
    .read(sessionId)
    .flatMap((event) => (event.type === "run.settled" ? [`${event.agent} ${event.result.status}`] : []));
  expect(ended).toEqual(["c completed", "b completed", "a completed"]);
});
