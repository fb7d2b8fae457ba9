import type { Stats } from "@retinue/store";
import { expect, test } from "vitest";
import { describeFigures } from "./figures.ts";

const stats = (key: string, more: Partial<Stats> = {}): Stats => ({
  key,
  runs: 4,
  completed: 3,
  partial: 1,
  failed: 0,
  cancelled: 0,
  timeout: 0,
  successRate: 0.75,
  bailouts: {},
  durationMs: 10_000,
  modelCalls: 8,
  toolCalls: 12,
  toolFailures: 1,
  promptTokens: 4_000,
  completionTokens: 400,
  cachedTokens: 0,
  reasoningTokens: 0,
  costUsd: 0.02,
  unpricedCalls: 0,
  ...more,
});

test("tells how the delegates did, a row each, and nobody else", () => {
  const text = describeFigures([stats("coder"), stats("main"), stats("tester", { unpricedCalls: 1 })], ["coder", "tester"]);
  expect(text?.split("\n").slice(-2)).toEqual([
    "| coder | 4 | 75 % | 1 | 2.5 s | 1100 | $0.0050 |",
    "| tester | 4 | 75 % | 1 | 2.5 s | 1100 | unknown |",
  ]);
  expect(text).not.toContain("main");
});

test("says nothing where there is too little to go by", () => {
  expect(describeFigures([stats("coder", { runs: 2 }), stats("tester", { successRate: null })], ["coder", "tester"])).toBe(
    undefined,
  );
  expect(describeFigures([], ["coder"])).toBe(undefined);
});
