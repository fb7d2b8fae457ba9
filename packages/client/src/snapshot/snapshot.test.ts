/** A session that is opened by a snapshot is the session that is folded from its first event on, wherever the snapshot was taken. */
import type { RecordedEvent, RetinueEvent, RunId } from "@retinue/protocol";
import { isLive } from "@retinue/protocol";
import { ROUTES } from "@retinue/protocol/routes";
import { describe, expect, test } from "vitest";
import { createSessionView, type SessionStore } from "../create-session-view.ts";
import type { RunView, SessionView } from "../session-view.ts";
import { createEventSource, flattenUnordered, generateSession } from "../testing/index.ts";
import { type SnapshotSize, toRunPart, toStepsPage, toViewSnapshot } from "./to-snapshot.ts";
import type { RunPart, StepsPage, ViewSnapshot } from "./view-snapshot.ts";

const SESSION = "ses_generated";
const SMALL: SnapshotSize = { wholeSteps: 12, pageSteps: 3, leastSteps: 1 };

/** As it comes over the network. */
const sent = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const fold = (events: readonly RetinueEvent[], size = events.length): SessionStore => {
  const store = createSessionView(SESSION, { keepsLog: false });
  for (const event of events.slice(0, size)) store.apply(event);
  return store;
};

/** What the tree shows of each run, whether it was loaded or not. */
const toLine = ({ runId, state, own, inclusive, children, parentCallId, limits, activeMs, endedAt, task }: RunView): unknown => [
  [runId, state, own, inclusive, children.map((child) => child.runId), parentCallId, limits, activeMs, endedAt],
  task.length === 0,
];

const open = (events: readonly RecordedEvent[], at: number, size = SMALL): SessionStore => {
  const snapshot: ViewSnapshot = sent(toViewSnapshot(fold(events, at).view, size));
  return createSessionView(SESSION, { keepsLog: false, snapshot });
};

const runOf = (view: SessionView, runId: RunId): RunView => {
  const run = view.runs.get(runId);
  if (run === undefined) throw new Error(`${runId} is not there.`);
  return run;
};

/** Loads all that was left out, as a person would who opens and scrolls through everything. */
const loadAll = (page: SessionStore, server: SessionView): void => {
  for (const run of page.view.runs.values()) {
    const there = runOf(server, run.runId);
    if (run.isBrief) expect(page.loadPart(sent<RunPart>(toRunPart(server, there, SMALL.pageSteps)))).toBe("loaded");
    for (const { from, to } of run.unloaded.toReversed())
      for (let at = from; at < to; at += 2)
        expect(page.loadSteps(sent<StepsPage>(toStepsPage(server, there, { from: at, to: Math.min(at + 2, to) })))).toBe(
          "loaded",
        );
  }
};

for (const seed of [1, 2, 3, 4, 5, 6])
  describe(`a generated session (seed ${seed})`, seed > 3 ? { tags: ["long"] } : {}, () => {
    const events = [...generateSession({ seed, runs: 6 + seed * 3, turns: 3 + seed, maxDepth: 4, width: 4, withLive: true })];
    const recorded = events.filter((event): event is RecordedEvent => !isLive(event));
    const whole = fold(recorded);
    const cuts = Array.from({ length: 13 }, (_, index) => Math.floor((index / 12) * recorded.length));

    test("opened by a snapshot at any event, followed, and loaded whole is as one that was folded from the first", () => {
      for (const at of cuts) {
        const page = open(recorded, at);
        for (const event of recorded.slice(at)) expect(page.apply(event)).toBe("applied");
        expect(Array.from(page.view.runs.values(), toLine)).toEqual(Array.from(whole.view.runs.values(), toLine));
        expect([...page.view.openApprovals.keys()]).toEqual([...whole.view.openApprovals.keys()]);
        expect(page.view.spent).toEqual(whole.view.spent);
        loadAll(page, whole.view);
        expect(flattenUnordered(page.view)).toEqual(flattenUnordered(whole.view));
      }
    });

    test("is the same where pieces are loaded before the rest of the events comes", () => {
      for (const at of cuts) {
        const page = open(recorded, at);
        loadAll(page, fold(recorded, at).view);
        expect(flattenUnordered(page.view)).toEqual(flattenUnordered(fold(recorded, at).view));
        for (const event of recorded.slice(at)) page.apply(event);
        expect(flattenUnordered(page.view)).toEqual(flattenUnordered(whole.view));
      }
    });

    test("draws what is streamed after the snapshot as it does without one", () => {
      const at = events.findIndex(({ seq }) => seq > recorded.length / 2);
      const first = events.slice(0, at).filter((event): event is RecordedEvent => !isLive(event));
      const page = open(first, first.length, { ...SMALL, wholeSteps: 10_000 });
      const other = fold(first);
      for (const event of events.slice(at)) expect(page.apply(event)).toBe(other.apply(event));
      expect(flattenUnordered(page.view)).toEqual(flattenUnordered(other.view));
    });

    test("has a snapshot and pieces that the schemas of their routes accept", () => {
      for (const at of cuts) {
        const { view } = fold(recorded, at);
        const answers = [ROUTES.getView.response.safeParse(sent(toViewSnapshot(view, SMALL)))];
        for (const run of view.runs.values()) {
          answers.push(ROUTES.getRunPart.response.safeParse(sent(toRunPart(view, run))) as never);
          answers.push(ROUTES.listSteps.response.safeParse(sent(toStepsPage(view, run, { from: 0, to: 2 }))) as never);
        }
        expect(answers.flatMap(({ error }) => error?.issues ?? [])).toEqual([]);
      }
    });
  });

describe("a snapshot", () => {
  const long = (turns: number): readonly RecordedEvent[] => {
    const source = createEventSource(SESSION);
    const main = source.run("run_main");
    const events = [main.requested(), main.started()];
    for (let step = 1; step <= turns; step += 1)
      events.push(
        main.asked(step),
        main.answered(step, `said ${step}`, { [`c${step}`]: "read" }),
        main.toolStarted(`c${step}`, "read"),
        ...(step === 2 ? [] : [main.toolSettled(`c${step}`, "read")]),
      );
    events.push(main.toolSettled("c2", "read"), main.settled());
    return events;
  };

  test("holds the latest steps and those in which something can still happen, and no more", () => {
    const events = long(50);
    const open50 = toViewSnapshot(fold(events, events.length - 2).view, SMALL);
    expect(open50.parts[0]?.steps.map(({ at }) => at)).toEqual([1, 47, 48, 49]);
    const settled = toViewSnapshot(fold(events).view, SMALL);
    expect(settled.parts[0]?.steps.map(({ at }) => at)).toEqual([47, 48, 49]);
  });

  test("of a small session is the whole session", () => {
    const events = long(12);
    const page = open(events, events.length);
    expect(flattenUnordered(page.view)).toEqual(flattenUnordered(fold(events).view));
  });

  test("tells a reader which steps are left out, and takes them in any order, once", () => {
    const events = long(50);
    const server = fold(events).view;
    const page = open(events, events.length);
    const [run] = page.view.roots as [RunView];
    const there = runOf(server, run.runId);
    expect(run.unloaded).toEqual([{ from: 0, to: 47 }]);
    expect(page.loadSteps(sent(toStepsPage(server, there, { from: 20, to: 24 })))).toBe("loaded");
    expect(page.loadSteps(sent(toStepsPage(server, there, { from: 20, to: 24 })))).toBe("known");
    expect(run.unloaded).toEqual([
      { from: 0, to: 20 },
      { from: 24, to: 47 },
    ]);
    expect(run.steps.map(({ step }) => step)).toEqual([21, 22, 23, 24, 48, 49, 50]);
    expect(page.takeChanged()).toEqual([run.runId]);
  });

  test("leaves settled runs at their heads; one that was written to since is asked for again, one of later is taken then", () => {
    const source = createEventSource(SESSION);
    const main = source.run("run_main");
    const child = source.run("run_child", main.identity);
    const events = [
      main.requested(),
      main.started(),
      main.asked(1),
      main.answered(1, "go", { c1: "delegate_to_agent" }),
      main.toolStarted("c1", "delegate_to_agent"),
      child.requested({ parentCallId: "c1" }),
      child.started(),
      child.asked(1),
      child.answered(1, "done"),
      child.settled(),
    ];
    const at = events.length;
    const late = [
      child.say({ type: "message.received", messageId: "msg_1", from: "human", content: [{ type: "text", text: "thanks" }] }),
      main.toolSettled("c1", "delegate_to_agent"),
    ];
    const all = [...events, ...late];
    const page = open(events, at, { wholeSteps: 0, pageSteps: 1, leastSteps: 1 });
    const run = runOf(page.view, "run_child");
    expect([run.isBrief, run.state, run.steps.length]).toEqual([true, { type: "settled", status: "completed" }, 0]);
    const partAt = (size: number): RunPart => {
      const { view } = fold(all, size);
      return sent(toRunPart(view, runOf(view, "run_child")));
    };
    expect(page.loadPart(partAt(at + 1))).toBe("early");
    for (const event of late) page.apply(event);
    expect(page.loadPart(partAt(at))).toBe("stale");
    expect(page.loadPart(partAt(at + 1))).toBe("loaded");
    expect(page.loadPart(partAt(at + 1))).toBe("known");
    expect(flattenUnordered(page.view)).toEqual(flattenUnordered(fold(all).view));
  });
});
