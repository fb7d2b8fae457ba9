/** Events in an order that no log should have, and numbers that lie: the view stays true as far as it can, and always ends. */
import { expect, test } from "vitest";
import type { RecordedEvent, RetinueEvent } from "@retinue/protocol";
import { foldSession } from "./fold-session.ts";
import { createEventSource, flattenView } from "./testing/index.ts";

const renumber = (events: readonly RecordedEvent[]): readonly RecordedEvent[] =>
  events.map((event, index) => Object.assign({}, event, { seq: index + 1 }));

const fold = (events: readonly RetinueEvent[]) => foldSession("ses_a", events);

const delegation = () => {
  const source = createEventSource();
  const main = source.run("run_1");
  const child = source.run("run_2", main.identity);
  return {
    mainRequested: main.requested(),
    mainStarted: main.started(),
    asked: main.asked(1),
    answered: main.answered(1, "I ask.", { c1: "delegate_to_agent" }),
    toolStarted: main.toolStarted("c1", "delegate_to_agent"),
    childRequested: child.requested({ parentCallId: "c1" }),
    childStarted: child.started(),
    childAsked: child.asked(1),
    childAnswered: child.answered(1, "Found."),
    childSettled: child.settled(),
    toolSettled: main.toolSettled("c1", "delegate_to_agent"),
    settled: main.settled(),
  };
};

const NUMBERED = new Set(["log", "requested", "seq"]);

/** Without what tells the order itself. */
const shapeOf = (events: readonly RecordedEvent[]): unknown =>
  JSON.parse(
    JSON.stringify(flattenView(fold(renumber(events))), (key, value: unknown) => (NUMBERED.has(key) ? undefined : value)),
  );

test("a run below that is heard of before the call of its parent has its place in that call", () => {
  const all = delegation();
  const usual = shapeOf(Object.values(all));
  const { childRequested, mainRequested, mainStarted, asked, answered, toolStarted, ...rest } = all;
  expect(shapeOf([mainRequested, mainStarted, asked, childRequested, answered, toolStarted, ...Object.values(rest)])).toEqual(
    usual,
  );
  expect(shapeOf([mainRequested, mainStarted, asked, answered, childRequested, toolStarted, ...Object.values(rest)])).toEqual(
    usual,
  );
});

test("a whole run below that is heard of before anything of its parent hangs below it, with all its sums", () => {
  const { childRequested, childStarted, childAsked, childAnswered, childSettled, ...rest } = delegation();
  const view = fold(renumber([childRequested, childStarted, childAsked, childAnswered]));
  expect(view.runs.get("run_1")).toMatchObject({ state: { type: "unseen" }, agent: "", inclusive: { modelCalls: 1, runs: 1 } });
  const whole = fold(renumber([childRequested, childStarted, childAsked, childAnswered, childSettled, ...Object.values(rest)]));
  expect(whole.roots.map(({ runId }) => runId)).toEqual(["run_1"]);
  const main = whole.runs.get("run_1");
  expect(main).toMatchObject({ agent: "main", own: { modelCalls: 1, runs: 1 }, inclusive: { modelCalls: 2, runs: 2 } });
  expect(main?.calls.get("c1")?.children.map(({ runId }) => runId)).toEqual(["run_2"]);
  expect(main?.state).toEqual({ type: "settled", status: "completed" });
});

test("sums reach every run above also where the runs between are heard of last", () => {
  const source = createEventSource();
  const top = source.run("run_1");
  const middle = source.run("run_2", top.identity);
  const low = source.run("run_3", middle.identity);
  const view = fold([low.requested(), low.asked(1), low.answered(1, "x"), middle.requested(), top.requested()]);
  expect(view.roots.map(({ runId }) => runId)).toEqual(["run_1"]);
  expect(view.runs.get("run_1")?.inclusive).toMatchObject({ modelCalls: 1, runs: 3, costUsd: 0.25 });
  expect(view.runs.get("run_2")?.inclusive).toMatchObject({ modelCalls: 1, runs: 2 });
});

test("runs that claim to be above themselves end nothing and are counted once", () => {
  const source = createEventSource();
  const one = source.run("run_1", { ...source.run("run_2").identity });
  const other = source.run("run_2", { ...source.run("run_1").identity });
  const self = source.run("run_3", { ...source.run("run_3").identity });
  const view = fold([one.requested(), other.requested(), self.requested(), one.answered(1, "x"), other.answered(1, "x")]);
  expect(view.spent).toMatchObject({ runs: 3, modelCalls: 2 });
  expect(view.roots.length).toBeGreaterThan(0);
});

test("what settles without a start, is answered without a question or delivered without a message changes no count", () => {
  const source = createEventSource();
  const main = source.run("run_1");
  const view = fold([
    main.requested(),
    main.toolSettled("c9", "read", { outcome: "error", error: { code: "tool_unknown", message: "no such tool" } }),
    main.toolSettled("c9", "read"),
    main.say({ type: "approval.answered", approvalId: "apr_9", allowed: true, scope: "once" }),
    main.say({ type: "message.delivered", messageIds: ["msg_9"] }),
    main.settled(),
    main.settled({ status: "failed" }),
  ]);
  expect(view.runs.get("run_1")).toMatchObject({
    state: { type: "settled", status: "completed" },
    own: { toolCalls: 0 },
    messages: [],
    errors: [{ from: "tool", name: "read" }],
  });
  expect(view.runs.get("run_1")?.calls.get("c9")).toMatchObject({ outcome: "error", step: null });
});

test("a type that a newer version records is passed over, and the feed goes on", () => {
  const main = createEventSource().run("run_1");
  const invented = { ...main.requested(), type: "run.dreamt" } as unknown as RetinueEvent;
  const view = fold([invented, main.requested()]);
  expect(view.lastSeq).toBe(2);
  expect(view.runs.get("run_1")?.state).toEqual({ type: "requested" });
});
