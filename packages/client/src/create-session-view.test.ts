/** The contract of the reducer: the same recorded events give the same view, however they arrive; sums are true; nothing is copied. */
import { describe, expect, test } from "vitest";
import { isLive, type RecordedEvent, type RetinueEvent, type RunId } from "@retinue/protocol";
import { createSessionView } from "./create-session-view.ts";
import { foldSession } from "./fold-session.ts";
import type { RunView, SessionView } from "./session-view.ts";
import { createEventSource, flattenView, generateSession } from "./testing/index.ts";

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];
const ID = "ses_generated";

const recordedOf = (events: readonly RetinueEvent[]): readonly RecordedEvent[] =>
  events.filter((event): event is RecordedEvent => !isLive(event));

const flattenEvents = (events: Iterable<RetinueEvent>): unknown => flattenView(foldSession(ID, events));

describe.each(SEEDS)("a generated session %i", (seed) => {
  const all = [...generateSession({ seed, withLive: true })];
  const recorded = recordedOf(all);

  test("has the same view whether it was followed live or read afterwards", () => {
    expect(all.length).toBeGreaterThan(recorded.length + 50);
    expect(flattenEvents(all)).toEqual(flattenEvents(recorded));
  });

  test("has the same view whatever pieces it is read in, with parts of them repeated", () => {
    const { view, apply } = createSessionView(ID);
    for (let from = 0; from < recorded.length; from = view.lastSeq) {
      const back = (from * 7 + seed) % 5;
      const length = 1 + back + ((from * 13 + seed) % 17);
      const outcomes = recorded.slice(Math.max(0, from - back), Math.max(0, from - back) + length).map(apply);
      expect(new Set(outcomes)).not.toContain("gap");
    }
    expect(flattenView(view)).toEqual(flattenEvents(recorded));
  });

  test("what is cut off at any event and read on later ends equal", () => {
    const whole = flattenEvents(recorded);
    for (let cut = 0; cut < recorded.length; cut += 1 + Math.floor(recorded.length / 12)) {
      const { view, apply } = createSessionView(ID);
      recorded.slice(0, cut).forEach(apply);
      // What was live at the cut is lost with it.
      recorded.filter(({ seq }) => seq > view.lastSeq).forEach(apply);
      expect(flattenView(view)).toEqual(whole);
    }
  });

  test("its sums are those of an addition by hand, own and with everything below", () => {
    const view = foldSession(ID, recorded);
    const own = new Map<RunId, { tokens: number; calls: number; cost: number; unpriced: number; runs: number }>();
    for (const event of recorded) {
      const sum = own.get(event.runId) ?? { tokens: 0, calls: 0, cost: 0, unpriced: 0, runs: 1 };
      own.set(event.runId, sum);
      if (event.type === "tool.started") sum.calls += 1;
      const bill = event.type === "model.answered" ? event : event.type === "tool.settled" ? event.spent : undefined;
      if (bill === undefined) continue;
      sum.tokens += bill.usage.input + bill.usage.output;
      sum.cost += bill.costUsd ?? 0;
      sum.unpriced += bill.costUsd === null ? 1 : 0;
    }
    const below = (run: RunView): readonly RunView[] => [run, ...run.children.flatMap(below)];
    for (const run of view.runs.values()) {
      const sums = below(run).map(({ runId }) => own.get(runId));
      const total = (of: "tokens" | "calls" | "cost" | "unpriced" | "runs"): number =>
        sums.reduce((sum, one) => sum + (one?.[of] ?? Number.NaN), 0);
      expect(run.own.usage.input + run.own.usage.output).toBe(own.get(run.runId)?.tokens);
      expect(run.inclusive.usage.input + run.inclusive.usage.output).toBe(total("tokens"));
      expect(run.inclusive.toolCalls).toBe(total("calls"));
      expect(run.inclusive.unpricedCalls).toBe(total("unpriced"));
      expect(run.inclusive.runs).toBe(total("runs"));
      expect(run.inclusive.costUsd).toBeCloseTo(total("cost"), 9);
    }
    expect(view.spent.runs).toBe(view.runs.size);
    expect(view.spent.usage.input).toBe(view.roots.reduce((sum, root) => sum + root.inclusive.usage.input, 0));
  });

  test("whoever asks only for what has changed sees every change", () => {
    const { view, apply, takeChanged } = createSessionView(ID);
    const shown = new Map<RunId, string>();
    const draw = (run: RunView): string =>
      JSON.stringify([run.state, run.inclusive, run.own, run.steps, [...run.calls.keys()], run.log.length]);
    all.forEach((event, index) => {
      apply(event);
      if (index % 7 === 0) for (const runId of takeChanged()) shown.set(runId, draw(runOf(view, runId)));
    });
    for (const runId of takeChanged()) shown.set(runId, draw(runOf(view, runId)));
    expect(takeChanged()).toEqual([]);
    for (const run of view.runs.values()) expect(shown.get(run.runId)).toBe(draw(run));
  });
});

const runOf = (view: SessionView, runId: RunId): RunView => {
  const run = view.runs.get(runId);
  if (run === undefined) throw new Error(`${runId} is not in the view`);
  return run;
};

describe("the feed", () => {
  const twoEvents = () => {
    const main = createEventSource().run("run_1");
    return { main, events: [main.requested(), main.started(), main.asked(1)] as const };
  };

  test("an event that was applied before changes nothing", () => {
    const { events } = twoEvents();
    const { view, apply, takeChanged } = createSessionView("ses_a");
    events.forEach(apply);
    takeChanged();
    const before = structuredClone(flattenView(view));
    expect(events.map(apply)).toEqual(["known", "known", "known"]);
    expect(flattenView(view)).toEqual(before);
    expect(takeChanged()).toEqual([]);
  });

  test("an event that comes too early is told and not taken, until what is missing is there", () => {
    const { events } = twoEvents();
    const { view, apply } = createSessionView("ses_a");
    apply(events[0]);
    expect(apply(events[2])).toBe("gap");
    expect(view).toMatchObject({ lastSeq: 1, gap: { after: 1, before: 3 } });
    expect(view.runs.get("run_1")?.steps).toEqual([]);
    expect([apply(events[1]), apply(events[2])]).toEqual(["applied", "applied"]);
    expect(view).toMatchObject({ lastSeq: 3, gap: null });
  });

  test("a feed that leaves out events on purpose is taken, and its gaps are told", () => {
    const { events } = twoEvents();
    const { view, apply } = createSessionView("ses_a", { isPartial: true });
    apply(events[0]);
    expect(apply(events[2])).toBe("gap");
    expect(view.gap).toEqual({ after: 1, before: 3 });
    expect(view.runs.get("run_1")?.steps).toHaveLength(1);
  });

  test("events of another session are not taken", () => {
    const { apply, view } = createSessionView("ses_other");
    expect(apply(twoEvents().events[0])).toBe("foreign");
    expect(view.runs.size).toBe(0);
  });

  test("a store that keeps no log tells all the rest", () => {
    const events = [...generateSession({ seed: 2 })];
    const { view, apply } = createSessionView(ID, { keepsLog: false });
    events.forEach(apply);
    const whole = foldSession(ID, events);
    expect([...view.runs.values()].every(({ log }) => log.length === 0)).toBe(true);
    expect([...whole.runs.values()].reduce((sum, { log }) => sum + log.length, 0)).toBe(events.length);
    for (const run of whole.runs.values()) Object.assign(run, { log: [] });
    expect(flattenView(view)).toEqual(flattenView(whole));
  });

  test("collections grow in place: what was read before is the same object afterwards", () => {
    const { view, apply } = createSessionView(ID);
    const events = [...generateSession({ seed: 3, runs: 4, turns: 30 })];
    events.slice(0, 40).forEach(apply);
    const held = [...view.runs.values()].map((run) => [run, run.steps, run.calls, run.log, run.children] as const);
    events.slice(40).forEach(apply);
    for (const [run, steps, calls, log, children] of held) {
      const now = runOf(view, run.runId);
      expect(now).toBe(run);
      expect([now.steps === steps, now.calls === calls, now.log === log, now.children === children]).toEqual([
        true,
        true,
        true,
        true,
      ]);
    }
  });
});
