/** What a run is doing: requested, running, waiting for whom, finishing, settled. */
import { expect, test } from "vitest";
import type { RetinueEvent, RunId } from "@retinue/protocol";
import { createSessionView } from "./create-session-view.ts";
import type { RunState } from "./session-view.ts";
import { createEventSource } from "./testing/index.ts";

const open = () => {
  const source = createEventSource();
  const { view, apply } = createSessionView("ses_a");
  const stateAfter = (event: RetinueEvent, runId: RunId = event.runId): RunState | undefined => {
    apply(event);
    return view.runs.get(runId)?.state;
  };
  return { main: source.run("run_1"), source, view, apply, stateAfter };
};

test("a run is requested, running, finishing and settled with the status of its result", () => {
  const { main, stateAfter } = open();
  expect(stateAfter(main.requested())).toEqual({ type: "requested" });
  expect(stateAfter(main.started())).toEqual({ type: "running" });
  expect(stateAfter(main.asked(1))).toEqual({ type: "running" });
  expect(stateAfter(main.say({ type: "run.finishing", reason: "enough" }))).toEqual({ type: "finishing" });
  expect(stateAfter(main.settled({ status: "partial" }))).toEqual({ type: "settled", status: "partial" });
});

test("a run that reached a limit is finishing, and its hand-in is no iteration", () => {
  const { main, stateAfter, view } = open();
  for (const event of [main.requested(), main.started(), main.asked(1), main.answered(1, "so far")]) stateAfter(event);
  const reached = { limit: "iterations", used: 1, max: 1 } as const;
  expect(stateAfter(main.say({ type: "limit.reached", ...reached }))).toEqual({ type: "finishing" });
  stateAfter(main.asked(2, { handIn: true }));
  stateAfter(main.answered(2, "That is all."));
  expect(view.runs.get("run_1")).toMatchObject({ limitsReached: [reached], own: { iterations: 1, modelCalls: 2 } });
});

test("a run waits for an approval until it is answered", () => {
  const { main, stateAfter, view } = open();
  for (const event of [main.requested(), main.started(), main.asked(1), main.answered(1, "", { c1: "write" })]) stateAfter(event);
  const act = { callId: "c1", tool: "write", effect: "write", input: {}, paths: [], hosts: [] } as const;
  const asked = main.say({ type: "approval.requested", approvalId: "apr_1", act, hash: "h" });
  expect(stateAfter(asked)).toEqual({ type: "waiting", on: "approval", isParked: false });
  expect([...view.openApprovals.keys()]).toEqual(["apr_1"]);
  const answered = main.say({
    type: "approval.answered",
    approvalId: "apr_1",
    allowed: true,
    scope: "run",
    source: { via: "server" },
  });
  expect(stateAfter(answered)).toEqual({ type: "running" });
  expect(view.openApprovals.size).toBe(0);
  expect(view.approvals.get("apr_1")).toMatchObject({
    agent: "main",
    answer: { allowed: true, scope: "run", source: { via: "server" } },
  });
});

test("a run waits for a run below while nothing else of it is at work", () => {
  const { main, source, stateAfter } = open();
  const calls = { c1: "delegate_to_agent", c2: "read" };
  for (const event of [main.requested(), main.started(), main.asked(1), main.answered(1, "", calls)]) stateAfter(event);
  const child = source.run("run_2", main.identity);
  expect(stateAfter(main.toolStarted("c1", "delegate_to_agent"))).toEqual({ type: "running" });
  expect(stateAfter(child.requested({ parentCallId: "c1" }), "run_1")).toEqual({ type: "waiting", on: "run", isParked: false });
  expect(stateAfter(main.toolStarted("c2", "read"))).toEqual({ type: "running" });
  expect(stateAfter(main.toolSettled("c2", "read"))).toEqual({ type: "waiting", on: "run", isParked: false });
  expect(stateAfter(child.settled(), "run_1")).toEqual({ type: "running" });
  expect(stateAfter(main.toolSettled("c1", "delegate_to_agent"))).toEqual({ type: "running" });
});

test("a run whose call settled while the run below works on, in the background, does not wait", () => {
  const { main, source, stateAfter } = open();
  for (const event of [main.requested(), main.started(), main.asked(1), main.answered(1, "", { c1: "spawn" })]) stateAfter(event);
  stateAfter(main.toolStarted("c1", "spawn"));
  stateAfter(source.run("run_2", main.identity).requested({ parentCallId: "c1" }));
  expect(stateAfter(main.toolSettled("c1", "spawn"))).toEqual({ type: "running" });
});

test("a parked run waits, also after the answer, until a process drives it on", () => {
  const { main, stateAfter, view } = open();
  for (const event of [main.requested(), main.started()]) stateAfter(event);
  const act = { callId: "c1", tool: "write", effect: "write", input: {}, paths: [], hosts: [] } as const;
  stateAfter(main.say({ type: "approval.requested", approvalId: "apr_1", act, hash: "h" }));
  const parked = main.say({ type: "run.parked", on: [{ type: "approval", approvalId: "apr_1" }], activeMs: 7_000 });
  expect(stateAfter(parked)).toEqual({ type: "waiting", on: "approval", isParked: true });
  stateAfter(main.say({ type: "approval.answered", approvalId: "apr_1", allowed: true, scope: "once" }));
  expect(view.runs.get("run_1")?.state).toEqual({ type: "waiting", on: "approval", isParked: true });
  expect(stateAfter(main.started(true))).toEqual({ type: "running" });
  expect(view.runs.get("run_1")).toMatchObject({ drives: 2, parkedOn: null, activeMs: 7_000 });
});

test("a question whose call settled, or whose run is over, is open no more", () => {
  const { main, source, stateAfter, view } = open();
  const other = source.run("run_2");
  const ask = (run: typeof main, approvalId: `apr_${string}`, callId: string): void => {
    const act = { callId, tool: "write", effect: "write", input: {}, paths: [], hosts: [] } as const;
    stateAfter(run.say({ type: "approval.requested", approvalId, act, hash: "h" }));
  };
  for (const event of [main.requested(), main.started(), other.requested(), other.started()]) stateAfter(event);
  ask(main, "apr_1", "c1");
  ask(other, "apr_2", "c1");
  ask(main, "apr_3", "c2");
  expect([...view.openApprovals.keys()]).toEqual(["apr_1", "apr_2", "apr_3"]);
  stateAfter(main.toolSettled("c1", "write", { outcome: "denied" }));
  expect([...view.openApprovals.keys()]).toEqual(["apr_2", "apr_3"]);
  stateAfter(other.settled({ status: "cancelled" }));
  expect([...view.openApprovals.keys()]).toEqual(["apr_3"]);
  expect([...view.approvals.values()].map(({ isClosed, answer }) => [isClosed, answer])).toEqual([
    [true, null],
    [true, null],
    [false, null],
  ]);
});
