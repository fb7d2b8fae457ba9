import { expect, test } from "vitest";
import { age, brief, count, duration, localTime, money } from "./amounts.ts";

test("numbers are brief", () => {
  expect([0, 7, 950, 1_000, 12_345, 123_456, 4_500_000, 2e9].map(brief)).toEqual([
    "0",
    "7",
    "950",
    "1.0k",
    "12.3k",
    "123k",
    "4.5M",
    "2.0G",
  ]);
  expect([count(1, "run"), count(2, "run")]).toEqual(["1 run", "2 runs"]);
});

test("times are in the unit that fits", () => {
  expect([400, 119_000, 180_000, 9_000_000, 345_600_000].map(duration)).toEqual(["0.4 s", "119.0 s", "3 min", "2.5 h", "4.0 d"]);
  expect([5_000, 90_000, 7_200_000, 200_000_000].map(age)).toEqual(["now", "1 min", "2 h", "2 d"]);
  expect(localTime("2026-11-15T22:23:47.782Z")).toMatch(/^2026-11-1[56] \d\d:23:47$/);
  expect(localTime("never")).toBe("never");
});

test("money is told as far as it matters, and where no price is known that is said", () => {
  expect([0, 0.000_123, 0.0456, 12.3].map(money)).toEqual(["$0.00", "$0.00012", "$0.05", "$12.30"]);
  expect(money(null)).toBe("cost unknown");
});
