import { expect, test } from "vitest";
import { toFigures } from "./figures.ts";
import { GOALS } from "./goals.ts";
import { MISTAKES, planSeed } from "./plan-seed.ts";
import { runSeed } from "./run-seed.ts";

test("a seed stands for the same goal, temper and mistakes each time", () => {
  for (const seed of [1, 2, 3]) expect(planSeed(seed)).toEqual(planSeed(seed));
});

test("200 seeds make at least 45 kinds of mistakes, over four languages", () => {
  const plans = Array.from({ length: 200 }, (_, at) => planSeed(at + 1));
  const made = new Set(plans.flatMap(({ mistakes, childMistakes }) => [...mistakes.values(), ...childMistakes.values()]));
  expect(MISTAKES.filter((mistake) => made.has(mistake)).length).toBeGreaterThanOrEqual(45);
  expect(new Set(GOALS.map(({ language }) => language)).size).toBe(4);
});

test("a model without mistakes reaches a goal in each language that is not about finding tests", async () => {
  for (const goal of GOALS.filter(({ name }) =>
    ["javascript-add", "python-keep", "shell-fix", "typescript-fix"].includes(name),
  )) {
    const plan = { ...planSeed(1), goal, mistakes: new Map(), childMistakes: new Map() };
    expect(await runSeed(plan)).toMatchObject({ isMet: true, exitCode: 0, refusedCalls: 0 });
  }
});

test("a session that ends with exit code 0, not met and not said, counts as silent", () => {
  const outcome = {
    seed: 1,
    goal: "a",
    mistakes: [],
    isMet: false,
    exitCode: 0,
    isSaid: false,
    modelCalls: 4,
    refusedCalls: 2,
    followed: 2,
    recovered: 1,
    refusals: [],
  };
  expect(toFigures([outcome, { ...outcome, isSaid: true }])).toMatchObject({ silent: 1, met: 0, refused: 4, recovered: 0.5 });
});
