import type { ScriptedTurn } from "@retinue/model/testing";
import type { ApprovalScope, ProposedAct, RecordedEvent } from "@retinue/protocol";
import type { Judgement, ModelRequest } from "@retinue/runtime";
import { defineTool, hashAct } from "@retinue/runtime";
import type { MemoryLog } from "@retinue/store";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { EngineOptions } from "./contract.ts";
import { verifyReplay } from "./index.ts";
import { createTestEngine, cutLog, testAgent } from "./testing/test-engine.ts";

const agents = [testAgent("a", { tools: ["run"], grant: "session" })];
const CALL = { tool: "run", input: { command: "make" }, callId: "c" };

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise(setImmediate);
};

/** A world of one command, whose files have a digest that a test changes. */
const createWorld = () => {
  const world = { tree: "first", script: "one", ran: [] as string[] };
  const tool = defineTool({
    name: "run",
    description: "Runs a command.",
    input: z.object({ command: z.string() }),
    effect: "execute",
    execute: () => {
      world.ran.push(`${world.tree} ${world.script}`);
      return "ran";
    },
  });
  const judge = async ({ callId, asked }: { callId: string; asked?: { readonly act: ProposedAct } }): Promise<Judgement> => {
    const { tree, script } = world;
    const isSame = asked?.act.tree === tree && asked.act.scripts?.[0]?.digest === script;
    const act: ProposedAct = {
      callId,
      tool: "run",
      effect: "execute",
      input: { command: "make" },
      paths: [],
      hosts: [],
      scripts: [{ path: "Makefile", digest: script }],
      tree,
      ...(asked === undefined || isSame ? {} : { changed: ["lib.mk"] }),
    };
    return { type: "ask", act };
  };
  const script = (_: ModelRequest, answered: number): ScriptedTurn =>
    answered === 0 ? { toolCalls: [CALL] } : { text: "Done." };
  const open = (log?: MemoryLog, engine: Partial<EngineOptions> = {}) =>
    createTestEngine({
      agents,
      script,
      tools: [tool],
      grant: { approve: "ask" },
      engine: { unattended: "park", ...engine },
      ports: { judge },
      ...(log === undefined ? {} : { log }),
    });
  return { world, open, tool };
};

const questionsOf = (events: readonly RecordedEvent[]) =>
  events.flatMap((event) => (event.type === "approval.requested" ? [{ id: event.approvalId, changed: event.act.changed }] : []));

describe("N15 an answer to a question whose files changed since", () => {
  test("has the question put again, naming what changed, and the act runs as it was asked about last", async () => {
    const { world, open, tool } = createWorld();
    const { engine, start, log } = open();
    const { sessionId, result } = await start("go");
    await until(async () => (await engine.approvals()).length > 0);
    const [first] = await engine.approvals();
    world.tree = "second";
    await engine.answer(first?.approvalId ?? "apr_none", { allowed: true });
    await until(async () => (await engine.approvals()).some(({ approvalId }) => approvalId !== first?.approvalId));
    const [second, ...others] = await engine.approvals();
    expect(others).toEqual([]);
    expect(second?.act).toMatchObject({ tree: "second", changed: ["lib.mk"] });
    expect(world.ran).toEqual([]);
    await engine.answer(second?.approvalId ?? "apr_none", { allowed: true });
    await result;
    expect(world.ran).toEqual(["second one"]);
    const events = log.read(sessionId);
    expect(questionsOf(events)).toEqual([
      { id: first?.approvalId, changed: undefined },
      { id: `${first?.approvalId}.2`, changed: ["lib.mk"] },
    ]);
    const verdict = await verifyReplay(events, () => new Map([["run", tool]]));
    expect(verdict.divergence).toBeNull();
  });

  test("has the question put again to whoever is there, and the replay says so too", async () => {
    const { world, open, tool } = createWorld();
    const asked: ProposedAct[] = [];
    const { start, log } = open(undefined, {
      unattended: "deny",
      approver: async ({ act }) => {
        asked.push(act);
        if (asked.length === 1) world.script = "two";
        return { allowed: true };
      },
    });
    const { sessionId, result } = await start("go");
    await result;
    expect(asked.map(({ changed }) => changed)).toEqual([undefined, ["lib.mk"]]);
    expect(world.ran).toEqual(["first two"]);
    const verdict = await verifyReplay(log.read(sessionId), () => new Map([["run", tool]]));
    expect(verdict.divergence).toBeNull();
  });

  test("is a denial where they change each time that somebody is asked", async () => {
    const { world, open } = createWorld();
    const { start, log } = open(undefined, {
      unattended: "deny",
      approver: async () => {
        world.script += "!";
        return { allowed: true };
      },
    });
    const { sessionId, result } = await start("go");
    await result;
    const events = log.read(sessionId);
    expect(questionsOf(events)).toHaveLength(5);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "tool.settled",
        outcome: "denied",
        content: [expect.objectContaining({ text: expect.stringContaining("kept changing") })],
      }),
    );
    expect(world.ran).toEqual([]);
  });

  test.each(["run", "session"] satisfies ApprovalScope[])(
    "holds for the kind of act where it was given for the %s",
    async (scope) => {
      const { world, open } = createWorld();
      const { engine, start } = open();
      const { result } = await start("go");
      await until(async () => (await engine.approvals()).length > 0);
      world.tree = "second";
      world.script = "two";
      await engine.answer((await engine.approvals())[0]?.approvalId ?? "apr_none", { allowed: true, scope });
      await result;
      expect(world.ran).toEqual(["second two"]);
    },
  );

  test("is a denial where it denies", async () => {
    const { world, open } = createWorld();
    const { engine, start, log } = open();
    const { sessionId, result } = await start("go");
    await until(async () => (await engine.approvals()).length > 0);
    world.script = "two";
    await engine.answer((await engine.approvals())[0]?.approvalId ?? "apr_none", { allowed: false });
    await result;
    expect(world.ran).toEqual([]);
    expect(questionsOf(log.read(sessionId))).toHaveLength(1);
  });

  test.each(["parked", "answered"])(
    "is not taken as a denial after a night in which nobody drove the run (%s)",
    async (until_) => {
      const { world, open } = createWorld();
      const first = open();
      const { sessionId, runId } = await first.start("go");
      await until(async () => (await first.engine.approvals()).length > 0);
      const [asked] = await first.engine.approvals();
      await first.engine.answer(asked?.approvalId ?? "apr_none", { allowed: true });
      await until(() => first.log.read(sessionId).some(({ type }) => type === "run.settled"));
      expect(world.ran).toEqual(["first one"]);
      const last = until_ === "parked" ? "approval.requested" : "approval.answered";
      const log = cutLog(first.log, sessionId, ({ type }) => type === last);
      world.tree = "second";
      const { engine } = open(log);
      const resumed = await engine.resume(runId);
      if (until_ === "parked") {
        await until(async () => (await engine.approvals()).length > 0);
        await engine.answer(asked?.approvalId ?? "apr_none", { allowed: true });
      }
      const again = async () => (await engine.approvals()).find(({ approvalId }) => approvalId !== asked?.approvalId);
      await until(async () => (await again()) !== undefined);
      expect((await again())?.act.changed).toEqual(["lib.mk"]);
      await engine.answer((await again())?.approvalId ?? "apr_none", { allowed: true });
      await resumed.result;
      expect(world.ran).toEqual(["first one", "second one"]);
    },
  );

  test.each([
    ["no hash", "", "first one"],
    [
      "a hash of another form",
      hashAct({ callId: "c", tool: "run", effect: "execute", input: null, paths: [], hosts: [] }),
      "first one",
    ],
  ])("is honoured where an older version recorded the question with %s and nothing changed", async (_, hash, ran) => {
    const { world, open } = createWorld();
    const first = open();
    const { sessionId, runId } = await first.start("go");
    await until(async () => (await first.engine.approvals()).length > 0);
    const older = open().log;
    for (const { seq: _seq, ...event } of first.log.read(sessionId)) {
      const draft = event.type === "approval.requested" ? { ...event, hash } : event;
      if (draft.type === "run.parked") continue;
      if (draft.type === "run.requested") older.append([draft]);
      else older.append([draft], older.lease(draft.runId));
    }
    const { engine } = open(older);
    const resumed = await engine.resume(runId);
    await until(async () => (await engine.approvals()).length > 0);
    await engine.answer((await engine.approvals())[0]?.approvalId ?? "apr_none", { allowed: true });
    await resumed.result;
    expect(world.ran).toEqual([ran]);
  });
});
