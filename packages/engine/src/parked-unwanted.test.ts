import type { ScriptedTurn } from "@retinue/model/testing";
import type { RetinueEvent } from "@retinue/protocol";
import type { ModelRequest } from "@retinue/runtime";
import type { MemoryLog } from "@retinue/store";
import { createMemoryLog } from "@retinue/store";
import { describe, expect, test } from "vitest";
import { createTestEngine, testAgent } from "./testing/test-engine.ts";

const agents = [testAgent("a", { tools: ["act"], grant: "session" })];
const script = (_request: ModelRequest, answered: number): ScriptedTurn =>
  answered === 0 ? { toolCalls: [{ tool: "act", input: { what: "it" }, callId: "c" }] } : { text: "Done." };

/** A log that tells how many watches there are. */
const createCountedLog = () => {
  const log = createMemoryLog();
  const watches = { one: 0, many: 0 };
  const counted = (key: keyof typeof watches, stop: () => void) => {
    watches[key] += 1;
    return () => {
      watches[key] -= 1;
      stop();
    };
  };
  const counting: MemoryLog = {
    ...log,
    watch: (...given) => counted("one", log.watch(...given)),
    watchInputs: (...given) => counted("one", log.watchInputs(...given)),
    watchAny: (...given) => counted("many", log.watchAny(...given)),
  };
  return { log: counting, watches };
};

const create = (log: MemoryLog) =>
  createTestEngine({ agents, script, log, grant: { approve: "ask" }, engine: { unattended: "park" } });

const allow = async ({ engine }: ReturnType<typeof create>, sessionId: `ses_${string}`): Promise<void> => {
  const [asked] = await engine.approvals(sessionId);
  if (!asked) throw new Error("nothing is asked");
  await engine.answer(asked.approvalId, { allowed: true });
};

describe("parked runs that nobody waits for", () => {
  test("share one watch of the log, which ends with the last of them", async () => {
    const { log, watches } = createCountedLog();
    const trial = create(log);
    const runs = [await trial.start("one"), await trial.start("two"), await trial.start("three")];
    for (const run of runs) expect(await run.outcome).toMatchObject({ type: "parked" });
    await expect.poll(() => watches).toEqual({ one: 0, many: 1 });
    for (const run of runs) await allow(trial, run.sessionId);
    for (const run of runs) expect(await run.result).toMatchObject({ status: "completed" });
    await expect.poll(() => watches).toEqual({ one: 0, many: 0 });
    expect(trial.effects).toEqual(["it", "it", "it"]);
  });

  test("go on when they are answered, and whoever asks long afterwards is told how they ended", async () => {
    const trial = create(createMemoryLog());
    const run = await trial.start("go");
    expect(await run.outcome).toMatchObject({ type: "parked" });
    await allow(trial, run.sessionId);
    await expect.poll(() => trial.log.read(run.sessionId).at(-1)?.type).toBe("run.settled");
    expect(await run.result).toMatchObject({ status: "completed" });
    const shown: RetinueEvent[] = [];
    for await (const event of run) shown.push(event);
    expect(shown.map(({ seq }) => seq)).toEqual(trial.log.read(run.sessionId).map(({ seq }) => seq));
  });

  test("are left open when the engine is closed, for whoever asks only then, too", async () => {
    const trial = create(createMemoryLog());
    const run = await trial.start("go");
    expect(await run.outcome).toMatchObject({ type: "parked" });
    await trial.engine.close();
    await expect(run.result).rejects.toMatchObject({ code: "run_left_open" });
  });
});
