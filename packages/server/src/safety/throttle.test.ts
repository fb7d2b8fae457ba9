import { expect, test } from "vitest";
import { createThrottle, MOST_WRONG } from "./throttle.ts";

test("wrong keys slow the address that sends them, and nobody else", () => {
  let now = 0;
  const throttle = createThrottle(() => now);
  for (let times = 0; times < MOST_WRONG; times += 1) throttle.failed("10.0.0.1");
  expect(throttle.isClosed("10.0.0.1")).toBe(true);
  expect(throttle.isClosed("10.0.0.2")).toBe(false);
  now = 60_000;
  expect(throttle.isClosed("10.0.0.1")).toBe(false);
});

test("more addresses than are counted one by one are counted together, and those that are known stay known", () => {
  const throttle = createThrottle(() => 0);
  for (let times = 0; times < MOST_WRONG; times += 1) throttle.failed("known");
  for (let sender = 0; sender < 2_000; sender += 1) throttle.failed(`10.0.0.${sender}`);
  expect(throttle.isClosed("known")).toBe(true);
  expect(throttle.isClosed("new")).toBe(true);
});
