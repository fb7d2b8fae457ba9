/** The same delegation again: a loop while nothing changes, and plain work once something has. */
import type { ScriptedToolCall, ScriptedTurn } from "@retinue/model/testing";
import type { RecordedEvent, SessionId } from "@retinue/protocol";
import type { MemoryLog } from "@retinue/store";
import { describe, expect, test } from "vitest";
import { askedOf, createTestEngine, cutLog, testAgent } from "./testing/test-engine.ts";

const AGENTS = [
  testAgent("lead", { delegates: ["tester", "executor"], tools: ["act", "echo"], grant: "session" }),
  testAgent("tester", { tools: [] }),
  testAgent("executor", { tools: [] }),
];

const to = (agent: string, task: string): ScriptedToolCall => ({ tool: "delegate_to_agent", input: { agent, task } });
const act: ScriptedToolCall = { tool: "act", input: { what: "a fix" } };
const look: ScriptedToolCall = { tool: "echo", input: { text: "the same" } };

const scriptOf = (turns: readonly ScriptedToolCall[][], answers: (agent: string, nth: number) => string) => {
  let nth = 0;
  return (request: Parameters<typeof askedOf>[0], answered: number): ScriptedTurn => {
    const { agent } = askedOf(request);
    if (agent !== "lead") return { text: answers(agent, ++nth) };
    const toolCalls = turns[answered];
    return toolCalls ? { toolCalls } : { text: "Done." };
  };
};

const outcomesIn = (log: MemoryLog, sessionId: SessionId): readonly string[] =>
  log
    .read(sessionId)
    .filter(
      (event): event is Extract<RecordedEvent, { type: "tool.settled" }> => event.type === "tool.settled" && event.depth === 0,
    )
    .map(({ tool, outcome, error }) => `${tool} ${outcome === "ok" ? "ok" : (error?.code ?? outcome)}`);

const run = async (
  turns: readonly ScriptedToolCall[][],
  answers: (agent: string, nth: number) => string = () => "5 failed",
): Promise<readonly string[]> => {
  const { start, log } = createTestEngine({ agents: AGENTS, script: scriptOf(turns, answers) });
  const handle = await start("go");
  await handle.result;
  return outcomesIn(log, handle.sessionId);
};

const tests = to("tester", "Run the tests");
const OK = "delegate_to_agent ok";
const LOOP = "delegate_to_agent delegation_loop";

describe("the same delegation", () => {
  test("is made twice while nothing changes, and then refused", async () => {
    expect(await run([[tests], [look], [tests], [tests]])).toEqual([OK, "echo ok", OK, LOOP]);
  });

  test("is made again once something was done in between", async () => {
    expect(await run([[tests], [tests], [act], [tests], [tests], [tests]])).toEqual([OK, OK, "act ok", OK, OK, LOOP]);
  });

  test("is made again once another result has come", async () => {
    const fix = to("executor", "Fix what fails");
    const answers = (agent: string, nth: number): string => (agent === "tester" ? "5 failed" : `fixed ${nth}`);
    expect(await run([[tests], [tests], [fix], [tests], [tests]], answers)).toEqual([OK, OK, OK, OK, OK]);
  });

  test("is a loop also where two of them take turns with the same results", async () => {
    const other = to("executor", "Look again");
    expect(await run([[tests], [other], [tests], [other], [tests], [other], [tests]])).toContain(LOOP);
  });

  test("is the same by whatever name and tool it is made", async () => {
    const asTool: ScriptedToolCall = { tool: "tester", input: { task: "run  the tests" } };
    const byOtherName: ScriptedToolCall = { tool: "delegate_to_agent", input: { role: "Tester", task: "RUN THE TESTS" } };
    expect(await run([[tests], [asTool], [byOtherName]])).toEqual([OK, "tester ok", LOOP]);
  });
});

describe("a run that is cut after any event and resumed decides the same", () => {
  const compare = async (turns: readonly ScriptedToolCall[][]): Promise<void> => {
    const first = createTestEngine({ agents: AGENTS, script: scriptOf(turns, () => "5 failed") });
    const { sessionId, runId, result } = await first.start("go");
    await result;
    const whole = outcomesIn(first.log, sessionId).toSorted();
    expect(whole.some((outcome) => !outcome.endsWith(" ok"))).toBe(true);
    for (const { seq } of first.log.read(sessionId).slice(0, -1)) {
      const log = cutLog(first.log, sessionId, (event) => event.seq === seq);
      const again = createTestEngine({ agents: AGENTS, script: scriptOf(turns, () => "5 failed"), log });
      await (
        await again.engine.resume(runId)
      ).result;
      expect(outcomesIn(log, sessionId).toSorted(), `cut after event ${seq}`).toEqual(whole);
    }
  };

  test("about a delegation that is repeated", () => compare([[tests], [tests], [tests]]));

  test("about calls that stand several times in one answer", async () => {
    const script = scriptOf([[act, act, act, act]], () => "");
    const first = createTestEngine({ agents: AGENTS, script });
    const { sessionId, runId, result } = await first.start("go");
    await result;
    expect(first.effects).toHaveLength(2);
    const log = cutLog(first.log, sessionId, ({ type }) => type === "tool.settled");
    const again = createTestEngine({ agents: AGENTS, script, log });
    await (
      await again.engine.resume(runId)
    ).result;
    expect(again.effects).toHaveLength(1);
    expect(outcomesIn(log, sessionId)).toEqual(outcomesIn(first.log, sessionId));
  });
});
