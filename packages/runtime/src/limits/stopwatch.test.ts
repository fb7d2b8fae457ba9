/** The time a run works: without what it waits for a human, with what it worked before it was resumed. */
import { expect, test } from "vitest";
import { createManualClock } from "./manual-clock.ts";
import { createStopwatch } from "./stopwatch.ts";

test("time goes on from what was worked before", () => {
  const clock = createManualClock();
  const watch = createStopwatch(clock, 500);
  clock.advance(100);
  expect(watch.activeMs()).toBe(600);
});

test("waits do not count, neither while they last nor afterwards, and they add up", () => {
  const clock = createManualClock();
  const watch = createStopwatch(clock, 0);
  clock.advance(10);
  for (const expected of [10, 11]) {
    watch.pause();
    clock.advance(1000);
    expect(watch.activeMs()).toBe(expected);
    watch.resume();
    expect(watch.activeMs()).toBe(expected);
    clock.advance(1);
  }
  expect(watch.activeMs()).toBe(12);
});

test("of waits that overlap the time counts again when the last of them is over", () => {
  const clock = createManualClock();
  const watch = createStopwatch(clock, 0);
  watch.pause();
  clock.advance(100);
  watch.pause();
  clock.advance(100);
  watch.resume();
  clock.advance(100);
  expect(watch.activeMs()).toBe(0);
  watch.resume();
  clock.advance(7);
  expect(watch.activeMs()).toBe(7);
});

test("it calls back once, when the time that was worked is reached and not before", () => {
  const clock = createManualClock();
  const watch = createStopwatch(clock, 0);
  const calledAt: number[] = [];
  watch.at(50, () => calledAt.push(watch.activeMs()));
  clock.advance(20);
  watch.pause();
  clock.advance(1000);
  watch.resume();
  expect(calledAt).toEqual([]);
  clock.advance(29);
  expect(calledAt).toEqual([]);
  clock.advance(200);
  expect(calledAt).toHaveLength(1);
  expect(calledAt[0]).toBeGreaterThanOrEqual(50);
});

test("a time that is past is called back for at once, and what was taken back is never called", () => {
  const clock = createManualClock();
  const watch = createStopwatch(clock, 100);
  let called = 0;
  watch.at(100, () => (called += 1));
  expect(called).toBe(1);
  const takeBack = watch.at(150, () => (called += 1));
  takeBack();
  clock.advance(1000);
  expect(called).toBe(1);
});
