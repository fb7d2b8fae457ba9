import type { ScriptedTurn } from "@retinue/model/testing";
import type { RetinueEvent } from "@retinue/protocol";
import type { ModelRequest } from "@retinue/runtime";
import type { MemoryLog } from "@retinue/store";
import { createMemoryLog } from "@retinue/store";
import { describe, expect, test } from "vitest";
import { askedOf, createTestEngine, delegateTo, testAgent } from "./testing/test-engine.ts";

const agents = [testAgent("a", { delegates: ["b"], tools: ["act"], grant: "session" }), testAgent("b", { tools: ["echo"] })];

describe("whoever waits for a run that has parked", () => {
  test("is told when the engine is closed, after all events so far; the run stays open and goes on elsewhere", async () => {
    const script = (_request: ModelRequest, answered: number): ScriptedTurn =>
      answered === 0 ? { toolCalls: [{ tool: "act", input: { what: "it" }, callId: "c" }] } : { text: "Done." };
    const options = { agents, script, grant: { approve: "ask" }, engine: { unattended: "park" } } as const;
    const first = createTestEngine(options);
    const run = await first.start("go");
    const shown: RetinueEvent[] = [];
    const following = (async () => {
      for await (const event of run) shown.push(event);
    })();
    expect(await run.outcome).toMatchObject({ type: "parked" });
    await first.engine.close();
    await expect(run.result).rejects.toMatchObject({ code: "run_left_open" });
    await following;
    expect(shown.at(-1)).toMatchObject({ type: "run.parked", runId: run.runId });

    const second = createTestEngine({ ...options, log: first.log });
    const [asked] = await second.engine.approvals(run.sessionId);
    if (!asked) throw new Error("nothing is asked");
    await second.engine.answer(asked.approvalId, { allowed: true });
    const resumed = await second.engine.resume(run.runId);
    expect(await resumed.result).toMatchObject({ status: "completed" });
    expect([first.effects, second.effects]).toEqual([[], ["it"]]);
  });
});

describe("a run whose child in the background has settled", () => {
  /** What is told to a parent takes long to be recorded. */
  const createSlowLog = (): MemoryLog => {
    const log = createMemoryLog();
    const append: MemoryLog["append"] = (...words) => log.append(...words);
    const isLetter = ([drafts]: Parameters<MemoryLog["append"]>): boolean =>
      drafts.some((draft) => draft.type === "message.received" && draft.from !== "human");
    return {
      ...log,
      append: ((...words: Parameters<MemoryLog["append"]>) =>
        isLetter(words)
          ? new Promise((resolve) => setTimeout(resolve, 50)).then(() => append(...words))
          : append(...words)) as MemoryLog["append"],
    };
  };

  test("does not park before it has heard of it, and parks for nothing once it has", async () => {
    const script = (request: ModelRequest, answered: number): ScriptedTurn => {
      if (askedOf(request).agent === "b") return { text: "b is done." };
      return answered === 0 ? { toolCalls: [delegateTo("b", "do it", { background: true })] } : { text: "Done." };
    };
    const { start } = createTestEngine({ agents, script, log: createSlowLog(), engine: { unattended: "park" } });
    const run = await start("go");
    expect(await run.outcome).toMatchObject({ type: "settled", result: { status: "completed" } });
  });
});

describe("a session whose id the caller made", () => {
  test("is begun under that id once, and never a second time", async () => {
    const { start, log } = createTestEngine({ agents, script: () => ({ text: "Done." }) });
    const run = await start("go", { newSessionId: "ses_chosen" });
    expect(run.sessionId).toBe("ses_chosen");
    await run.result;
    const before = log.read("ses_chosen").length;
    await expect(start("go", { newSessionId: "ses_chosen" })).rejects.toMatchObject({ code: "session_exists" });
    expect(log.read("ses_chosen")).toHaveLength(before);
  });
});
