import type { ScriptedTurn } from "@retinue/model/testing";
import type { RetinueEvent, RunId, SessionId } from "@retinue/protocol";
import type { ModelRequest } from "@retinue/runtime";
import { createManualClock } from "@retinue/runtime";
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

describe("a parked run", () => {
  const script = (_request: ModelRequest, answered: number): ScriptedTurn =>
    answered === 0 ? { toolCalls: [{ tool: "act", input: { what: "it" }, callId: "c" }] } : { text: "Done." };
  const options = { agents, script, grant: { approve: "ask" }, engine: { unattended: "park" } } as const;
  const allow = async ({ engine }: ReturnType<typeof createTestEngine>, sessionId: SessionId): Promise<void> => {
    const [asked] = await engine.approvals(sessionId);
    if (!asked) throw new Error("nothing is asked");
    await engine.answer(asked.approvalId, { allowed: true });
  };

  test("that another process was faster to drive on is told of its end to whoever waits for it here", async () => {
    const log = createMemoryLog();
    const elsewhere = { host: "elsewhere", pid: 4711, since: "2026-01-01T00:00:00.000Z", isSelf: false };
    const clock = createManualClock();
    let isHeld = true;
    const holder = () => (isHeld ? elsewhere : undefined);
    const beaten = createTestEngine({ ...options, log: { ...log, holder }, ports: { clock } });
    const run = await beaten.start("go");
    expect(await run.outcome).toMatchObject({ type: "parked" });
    const { result } = run;
    const faster = createTestEngine({ ...options, log });
    await allow(faster, run.sessionId);
    await (
      await faster.engine.resume(run.runId)
    ).result;
    // Nobody holds a run that has settled; a second look tells.
    isHeld = false;
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(60_000);
    expect(await result).toMatchObject({ status: "completed" });
    expect([beaten.effects, faster.effects]).toEqual([[], ["it"]]);
  });

  test("hears an answer that came after its drive looked for the last time and before the log was watched for it", async () => {
    const log = createMemoryLog();
    const other = createTestEngine({ ...options, log });
    const nothing = (): (() => void) => () => undefined;
    let isAnswered = false;
    // A log that wakes nobody, so that only looking helps; the answer comes right after the last look of the drive.
    const deaf = {
      ...log,
      watch: nothing,
      watchAny: nothing,
      watchInputs: nothing,
      inputs: async (runId: RunId, afterSeq: number) => {
        const found = log.inputs(runId, afterSeq);
        const sessionId = log.sessionOf(runId);
        const isParked = sessionId !== undefined && log.read(sessionId).at(-1)?.type === "run.parked";
        if (isParked && !isAnswered) {
          isAnswered = true;
          await allow(other, sessionId);
        }
        return found;
      },
    } as unknown as MemoryLog;
    const { start, effects } = createTestEngine({ ...options, log: deaf });
    const run = await start("go");
    expect(await run.result).toMatchObject({ status: "completed" });
    expect([isAnswered, effects]).toEqual([true, ["it"]]);
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
