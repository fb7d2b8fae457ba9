/** What a run has cost: itself, with everything below it, and what is left. */
import { describe, expect, test } from "vitest";
import { askedOf, createTestEngine, cutLog, delegateTo, testAgent } from "./testing/test-engine.ts";

const AGENTS = [
  testAgent("lead", { delegates: ["helper"], tools: [], grant: "session" }),
  testAgent("helper", { delegates: ["deep"], tools: ["echo"] }),
  testAgent("deep", { tools: ["echo"] }),
];
const options = {
  agents: AGENTS,
  limits: { tokens: 10_000, iterations: 20 },
  script: (request: Parameters<typeof askedOf>[0], answered: number) => {
    const { agent } = askedOf(request);
    if (answered > 0) return { text: "Done." };
    if (agent === "lead") return { toolCalls: [delegateTo("helper", "one")] };
    if (agent === "helper") return { toolCalls: [delegateTo("deep", "two")] };
    return { toolCalls: [{ tool: "echo", input: { text: "x" }, callId: "e" }] };
  },
};

describe("the bill of a run", () => {
  test("tells its own usage, that of the tree, and what its limits leave", async () => {
    const { start, log } = createTestEngine(options);
    const { sessionId, result } = await start("go");
    const usage = (turns: number) => ({ input: turns * 100, output: turns * 10, cached: 0, reasoning: 0 });
    expect(await result).toMatchObject({
      usage: usage(2),
      costUsd: 0,
      total: { usage: usage(6), costUsd: 0, iterations: 6, toolCalls: 3 },
      remaining: { tokens: 10_000 - 660, iterations: 14 },
    });
    const ofHelper = log.read(sessionId).find((event) => event.type === "run.settled" && event.agent === "helper");
    expect(ofHelper).toMatchObject({ result: { usage: usage(2), total: { usage: usage(4), iterations: 4, toolCalls: 2 } } });
  });

  test("is the same after the run was cut anywhere and resumed", async () => {
    const first = createTestEngine(options);
    const { sessionId, runId, result } = await first.start("go");
    const { total, remaining } = await result;
    for (const { seq, type } of first.log.read(sessionId).slice(0, -1)) {
      // An answer that was asked for and not recorded is asked for again, and paid twice by nobody.
      if (type === "run.requested" && seq === 1) continue;
      const { engine } = createTestEngine({ ...options, log: cutLog(first.log, sessionId, (event) => event.seq === seq) });
      expect(await (await engine.resume(runId)).result, `cut after event ${seq}`).toMatchObject({ total, remaining });
    }
  });
});
