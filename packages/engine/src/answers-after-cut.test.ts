/** What people said to runs holds after a cut as it would have held without one: a no stays a no, and a run that was asked to finish finishes. */
import type { ScriptedTurn } from "@retinue/model/testing";
import type { RecordedEvent } from "@retinue/protocol";
import type { ModelRequest } from "@retinue/runtime";
import { describe, expect, test } from "vitest";
import { askedOf, createTestEngine, cutLog, delegateTo, testAgent } from "./testing/test-engine.ts";

const agents = [
  testAgent("main", { tools: ["act", "echo"], delegates: ["worker", "helper"] }),
  testAgent("worker", { tools: ["act", "echo"] }),
  testAgent("helper", { tools: ["act", "echo"] }),
];
const PARKED = { grant: { approve: "ask" }, engine: { unattended: "park" } } as const;
const ACT = { tool: "act", input: { what: "it" }, callId: "it" };

const turnOf = ({ messages }: ModelRequest): number => messages.filter(({ role }) => role === "assistant").length;

/** Every sub-agent wants the same act. */
const script = (request: ModelRequest): ScriptedTurn => {
  const { agent } = askedOf(request);
  if (turnOf(request) > 0) return { text: `${agent} is done.` };
  return agent === "main" ? { toolCalls: [delegateTo("worker", "one"), delegateTo("helper", "two")] } : { toolCalls: [ACT] };
};

const outcomesOf = (events: readonly RecordedEvent[], agent: string): readonly string[] =>
  events.flatMap((event) => (event.type === "tool.settled" && event.agent === agent ? [event.outcome] : []));

describe("an act that a human denied", () => {
  test("stays denied after a cut, also where acts like it were allowed for the session meanwhile", async () => {
    const made = createTestEngine({ agents, script, ...PARKED });
    const { sessionId, runId } = await made.start("go");
    await expect.poll(async () => (await made.engine.approvals(sessionId)).length).toBe(2);
    const [first, second] = (await made.engine.approvals(sessionId)).toSorted((a, b) => (a.agent < b.agent ? 1 : -1));
    if (!first || !second) throw new Error("Nobody was asked.");
    expect([first.agent, second.agent]).toEqual(["worker", "helper"]);
    // The process ends as both answers are in the record, and nothing has come of them yet.
    const isAsked = (event: RecordedEvent): boolean => event.type === "approval.requested";
    const last = made.log.read(sessionId).findLast(isAsked);
    const log = cutLog(made.log, sessionId, (event) => event.seq === last?.seq);
    await made.engine.close();
    const answer = createTestEngine({ agents, script, log, ...PARKED }).engine;
    await answer.answer(second.approvalId, { allowed: false, reason: "not this one" });
    await answer.answer(first.approvalId, { allowed: true, scope: "session" });

    const again = createTestEngine({ agents, script, log, ...PARKED });
    await (
      await again.engine.resume(runId)
    ).result;
    const events = log.read(sessionId);
    expect(outcomesOf(events, "helper")).toEqual(["denied"]);
    expect(outcomesOf(events, "worker")).toEqual(["ok"]);
    expect(again.effects).toEqual(["it"]);
  });
});

describe("a run that was asked to finish", () => {
  test("makes no act that was allowed after that, whether or not it was cut in between", async () => {
    const made = createTestEngine({ agents: agents.slice(1), script, ...PARKED });
    const { sessionId, runId } = await made.start("go");
    await expect.poll(async () => (await made.engine.approvals(sessionId)).length).toBe(1);
    const [open] = await made.engine.approvals(sessionId);
    if (!open) throw new Error("Nobody was asked.");
    await made.engine.close();
    const log = cutLog(made.log, sessionId, (event) => event.type === "approval.requested");
    const { engine } = createTestEngine({ agents: agents.slice(1), script, log, ...PARKED });
    await engine.cancel(runId, { finish: true, reason: "enough" });
    await engine.answer(open.approvalId, { allowed: true });

    const again = createTestEngine({ agents: agents.slice(1), script, log, ...PARKED });
    const result = await (await again.engine.resume(runId)).result;
    expect(result).toMatchObject({ status: "partial", bailoutReason: "cancelled" });
    expect(outcomesOf(log.read(sessionId), "worker")).toEqual(["cancelled"]);
    expect(again.effects).toEqual([]);
  });

  test("asks nobody about what it will not do any more", async () => {
    let finish = async (): Promise<void> => undefined;
    const made = createTestEngine({
      agents: agents.slice(1),
      script: (request) => ({ ...script(request), ...(turnOf(request) === 0 ? { beforeAnswer: () => finish() } : {}) }),
      ...PARKED,
    });
    const handle = made.start("go");
    finish = async () => made.engine.cancel((await handle).runId, { finish: true });
    const { sessionId, result } = await handle;
    expect((await result).status).toBe("partial");
    const events = made.log.read(sessionId);
    expect(events.some(({ type }) => type === "approval.requested")).toBe(false);
    expect(outcomesOf(events, "worker")).toEqual(["cancelled"]);
  });

  test("has what works below it finish, too, also where the process ended before that was told", async () => {
    const hold = new Promise<never>(() => undefined);
    const MOST_TURNS = 10;
    const slow = (request: ModelRequest): ScriptedTurn => {
      const { agent } = askedOf(request);
      if (agent === "main")
        return turnOf(request) === 0 ? { toolCalls: [delegateTo("worker", "one")] } : { text: "main is done." };
      if (turnOf(request) === MOST_TURNS) return { text: "Nobody has told the worker." };
      return { toolCalls: [{ tool: "echo", input: { text: `${turnOf(request)}` }, callId: `e${turnOf(request)}` }] };
    };
    const made = createTestEngine({
      agents,
      script: (request) => (askedOf(request).agent === "worker" ? { before: hold } : slow(request)),
    });
    const { sessionId, runId } = await made.start("go");
    await expect.poll(() => made.log.read(sessionId).filter(({ type }) => type === "model.requested").length).toBe(2);
    const log = cutLog(made.log, sessionId, ({ type, agent }) => type === "model.requested" && agent === "worker");
    await createTestEngine({ agents, script: slow, log }).engine.cancel(runId, { finish: true, reason: "enough" });

    const again = createTestEngine({
      agents,
      script: (request) => (request.toolChoice === "none" ? { text: `${askedOf(request).agent} hands in.` } : slow(request)),
      log,
    });
    await (
      await again.engine.resume(runId)
    ).result;
    const settled = log.read(sessionId).find((event) => event.type === "run.settled" && event.agent === "worker");
    expect(settled).toMatchObject({ result: { status: "partial", bailoutReason: "cancelled" } });
  });
});
