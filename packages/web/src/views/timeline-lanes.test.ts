/** Idle time is folded in the timeline, and time is selected in what is left. */
import { createSessionView } from "@retinue/client";
import { createEventSource } from "@retinue/client/testing";
import type { RecordedEvent } from "@retinue/protocol";
import { expect, test } from "vitest";
import { moveRangeEnd, toRange } from "./select-range.ts";
import { createScale, type Timeline, toTimeline } from "./timeline-lanes.ts";

const START = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

/** Two steps of two seconds each, an hour apart; one tool call after the second. */
const timelineOf = (pauseMs: number): Timeline => {
  const main = createEventSource().run("run_main");
  const at = (ms: number, event: RecordedEvent): RecordedEvent => ({ ...event, at: new Date(START + ms).toISOString() });
  const later = 2_000 + pauseMs;
  const store = createSessionView("ses_a", { keepsLog: false });
  for (const event of [
    at(0, main.requested()),
    at(0, main.started()),
    at(0, main.asked(1)),
    at(2_000, main.answered(1, "Wait.")),
    at(later, main.asked(2)),
    at(later + 2_000, main.answered(2, "Read.", { call_1: "read" })),
    at(later + 2_000, main.toolStarted("call_1", "read")),
    at(later + 3_000, main.toolSettled("call_1", "read")),
    at(later + 3_000, main.settled()),
  ])
    store.apply(event);
  return toTimeline(store.view, START + 10 * pauseMs);
};

test("an hour in which nothing worked is one gap, and takes less room than the seconds of work around it", () => {
  const timeline = timelineOf(60 * MINUTE);
  expect(timeline.gaps).toEqual([{ from: START + 2_000, to: START + 2_000 + 60 * MINUTE }]);
  const scale = createScale(timeline);
  expect(scale.shownMs).toBe(5_000 + 4_000);
  expect(scale.toX(START + 2_000)).toBeCloseTo(2 / 9);
  expect(scale.toX(START + 2_000 + 60 * MINUTE)).toBeCloseTo(6 / 9);
});

test("a pause of a moment is drawn as long as it was", () => {
  const timeline = timelineOf(3_000);
  expect(timeline.gaps).toEqual([]);
  expect(createScale(timeline).shownMs).toBe(8_000);
});

test("a place in the folded timeline leads back to its time", () => {
  const scale = createScale(timelineOf(60 * MINUTE));
  for (const ms of [0, 1_500, 2_000 + 30 * MINUTE, 3_000 + 60 * MINUTE])
    expect(Math.abs(scale.toTime(scale.toX(START + ms)) - (START + ms))).toBeLessThan(1);
});

test("a range is whole milliseconds, in order, whichever way it was drawn", () => {
  expect(toRange(20.4, 10.6)).toEqual({ from: 10, to: 21 });
});

test("keys draw a range from an end of the timeline, in steps of equal width, back again and past where it began", () => {
  const scale = createScale({ from: 0, to: 4_000, gaps: [] });
  const right = moveRangeEnd({ range: null, anchor: null, direction: 1, scale });
  expect(right.range.from).toBe(0);
  expect(right.range.to).toBeGreaterThanOrEqual(100);
  expect(right.range.to).toBeLessThanOrEqual(101);
  const further = moveRangeEnd({ ...right, direction: 1, scale });
  expect(further.range.from).toBe(0);
  expect(Math.round(further.range.to / 100)).toBe(2);
  const left = moveRangeEnd({ range: null, anchor: null, direction: -1, scale });
  expect(left.range.to).toBe(4_000);
  const longer = moveRangeEnd({ ...left, direction: -1, scale });
  expect(longer.range.to).toBe(4_000);
  expect(Math.round(longer.range.from / 100)).toBe(38);
  // The end of one that was dragged moves; its beginning stays, also once it is the later of the two.
  const dragged = { range: { from: 1_000, to: 1_150 }, anchor: null };
  const back = moveRangeEnd({ ...dragged, direction: -1, scale });
  expect([back.range.from, Math.round(back.range.to / 10)]).toEqual([1_000, 105]);
  const past = moveRangeEnd({ ...back, direction: -1, scale });
  expect([Math.round(past.range.from / 10), past.range.to]).toEqual([95, 1_000]);
});
