import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemClock } from "./system-ports.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const DAY_MS = 86_400_000;

test("what is due in thirty days is called back then, and not at once", () => {
  const called = vi.fn();
  systemClock.after(30 * DAY_MS, called);
  vi.advanceTimersByTime(30 * DAY_MS - 1);
  expect(called).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(called).toHaveBeenCalledTimes(1);
});

test("what is due in thirty days and taken back after twenty-nine is never called back", () => {
  const called = vi.fn();
  const takeBack = systemClock.after(30 * DAY_MS, called);
  vi.advanceTimersByTime(29 * DAY_MS);
  takeBack();
  vi.advanceTimersByTime(DAY_MS);
  expect(called).not.toHaveBeenCalled();
});
