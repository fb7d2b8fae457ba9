/** What of a session lies within a selected time: one session of two runs, an event a second, so that each second is one act. */
import { createSessionView, type RunView } from "@retinue/client";
import { createEventSource } from "@retinue/client/testing";
import type { RecordedEvent } from "@retinue/protocol";
import { expect, test } from "vitest";
import { createRowsBuilder } from "../tree/rows.ts";
import { rowsWithin } from "../tree/rows-within.ts";
import { readChangedFiles } from "../views/changed-files.ts";
import { countEventsWithin } from "./count-events.ts";
import { isRunWithin, spentWithin, stepsWithin, type TimeRange } from "./time-range.ts";
import { fromRangeQuery, toRangeQuery } from "./use-time-range.ts";

const source = createEventSource();
const main = source.run("run_main");
const child = source.run("run_child", main.identity, "executor");
const write = (path: string) => ({ input: { path, content: "a" }, effect: "write" }) as const;

/** The number of an event is its second. */
const EVENTS: readonly RecordedEvent[] = [
  main.requested(), // 1
  main.started(),
  main.asked(1), // 3
  main.answered(1, "I write first.", { call_1: "write" }), // 4
  main.toolStarted("call_1", "write", write("a.md")), // 5
  main.toolSettled("call_1", "write"), // 6
  main.asked(2), // 7
  main.answered(2, "Now the other.", { call_2: "delegate" }), // 8
  main.toolStarted("call_2", "delegate"), // 9
  child.requested({ parentCallId: "call_2" }), // 10
  child.started(),
  child.asked(1), // 12
  child.answered(1, "", { call_3: "write" }), // 13
  child.toolStarted("call_3", "write", write("b.md")), // 14
  child.toolSettled("call_3", "write"), // 15
  child.asked(2), // 16
  child.answered(2, "Written."), // 17
  child.settled(), // 18
  main.toolSettled("call_2", "delegate"), // 19
  main.asked(3), // 20
  main.answered(3, "All is written."), // 21
  main.settled(), // 22
];

const { view } = (() => {
  const store = createSessionView("ses_a", { keepsLog: false });
  for (const event of EVENTS) store.apply(event);
  return store;
})();

const timeOf = (second: number): number => Date.parse(EVENTS[second - 1]?.at ?? "");
const seconds = (from: number, to: number): TimeRange => ({ from: timeOf(from), to: timeOf(to) });
const runOf = (runId: `run_${string}`): RunView => view.runs.get(runId) as RunView;

const rowsOf = (range: TimeRange, isAwaited: (runId: string) => boolean = () => false): readonly string[] => {
  const rows = createRowsBuilder()({ roots: view.roots, isOpen: () => true, isAwaited, versionOf: () => 1 });
  return rowsWithin(rows, range, isAwaited).map(({ key }) => key);
};

test("of the conversation, only the runs that were at work in the time are left, with what they said and did in it", () => {
  expect(rowsOf(seconds(1, 22))).toEqual([
    "run_main/asked",
    "run_main/run",
    "run_main/said/1",
    "run_main/call/call_1",
    "run_main/said/2",
    "run_child/run",
    "run_child/call/call_3",
    "run_child/said/2",
    "run_main/said/3",
  ]);
  expect(rowsOf(seconds(5, 6))).toEqual(["run_main/run", "run_main/call/call_1"]);
  expect(rowsOf(seconds(14, 15))).toEqual(["run_main/run", "run_child/run", "run_child/call/call_3"]);
  expect(rowsOf({ from: timeOf(22) + 1, to: timeOf(22) + 1000 })).toEqual([]);
});

test("an act of which only a part lies within is shown; one that ended a moment before, or begins a moment after, is not", () => {
  const middle = timeOf(3) + 500;
  expect(rowsOf({ from: middle, to: middle })).toEqual(["run_main/run", "run_main/said/1"]);
  expect(rowsOf({ from: timeOf(6) + 1, to: timeOf(7) - 1 })).toEqual(["run_main/run"]);
});

test("a run that waits for a human stays, whatever time is selected", () => {
  expect(rowsOf(seconds(3, 4))).not.toContain("run_child/run");
  expect(rowsOf(seconds(3, 4), (runId) => runId === "run_child")).toContain("run_child/run");
});

test("of the steps of a run, those within are left, each with those of its calls that are within", () => {
  const stepsOf = (runId: `run_${string}`, range: TimeRange) =>
    stepsWithin(runOf(runId), range).map(({ step, calls }) => [step.step, calls.map(({ callId }) => callId)]);
  expect(stepsOf("run_main", seconds(7, 9))).toEqual([[2, ["call_2"]]]);
  expect(stepsOf("run_main", seconds(3, 3))).toEqual([[1, []]]);
  // The parent waits in its call meanwhile.
  expect(stepsOf("run_main", seconds(14, 15))).toEqual([[2, ["call_2"]]]);
  expect(stepsOf("run_child", seconds(3, 9))).toEqual([]);
  expect(isRunWithin(runOf("run_child"), seconds(3, 9))).toBe(false);
});

test("of the changed files, those are left that were written in the time", () => {
  const filesOf = (range: TimeRange | null) => [...readChangedFiles(view, range).keys()];
  expect(filesOf(null)).toEqual(["a.md", "b.md"]);
  expect(filesOf(seconds(1, 6))).toEqual(["a.md"]);
  expect(filesOf(seconds(14, 22))).toEqual(["b.md"]);
  expect(filesOf(seconds(7, 13))).toEqual([]);
});

test("what the answers of all times cost is what the session did; a part of it costs that part", () => {
  const { usage, costUsd } = view.spent;
  const all = { tokens: usage.input + usage.output, costUsd, isUnpriced: false };
  expect(spentWithin(view.runs.values(), seconds(1, 22))).toEqual(all);
  expect(spentWithin(view.runs.values(), seconds(13, 17))).toEqual({ tokens: 220, costUsd: 0.5, isUnpriced: false });
  expect(spentWithin([runOf("run_main")], seconds(13, 17)).tokens).toBe(0);
});

test("events are counted by looking at a few of them, also where several have one time", async () => {
  for (const [from, to] of [
    [1, 22],
    [5, 6],
    [22, 22],
  ] as const) {
    const count = await countEventsWithin(seconds(from, to), EVENTS.length, async (seq) => timeOf(seq));
    expect(count).toBe(to - from + 1);
  }
  expect(await countEventsWithin({ from: 0, to: 1 }, EVENTS.length, async (seq) => timeOf(seq))).toBe(0);
  expect(await countEventsWithin({ from: 10, to: 19 }, 100, async (seq) => Math.floor(seq / 10))).toBe(1);
  let looked = 0;
  const times = async (seq: number): Promise<number> => {
    looked += 1;
    return seq;
  };
  expect(await countEventsWithin({ from: 40_000, to: 40_999 }, 100_000, times)).toBe(1000);
  expect(looked).toBeLessThan(40);
});

test("the address tells a selected time and nothing that is none", () => {
  const range = seconds(3, 9);
  expect(fromRangeQuery(toRangeQuery(range))).toEqual(range);
  expect(toRangeQuery(null)).toBe("");
  for (const search of ["", "?from=1", "?from=2&to=1", "?from=a&to=b", "?from=1&to=9e99", "?from=&to="])
    expect([search, fromRangeQuery(search)]).toEqual([search, null]);
});
