import { describe, expect, test } from "vitest";
import { createPurse, keepBack, leftIn, reserve } from "./purse.ts";

describe("the limits tree", () => {
  test("what a child spends is spent from every purse above", () => {
    const root = createPurse({ tokens: 1_000 });
    const child = createPurse({ tokens: 600 }, root);
    const grandchild = createPurse({}, child);
    reserve(grandchild, { tokens: 100 }).settle({ tokens: 80 });
    expect([root, child, grandchild].map((purse) => purse.used.tokens)).toEqual([80, 80, 80]);
    expect(leftIn(grandchild, "tokens")).toEqual({ left: 520, used: 80, max: 600 });
  });

  test("what is reserved cannot be reserved again by a sibling", () => {
    const root = createPurse({ tokens: 1_000 });
    const [a, b] = [createPurse({}, root), createPurse({}, root)];
    const first = reserve(a, { tokens: 700 });
    expect(leftIn(b, "tokens").left).toBe(300);
    first.settle({ tokens: 100 });
    expect(leftIn(b, "tokens").left).toBe(900);
    first.settle({ tokens: 900 });
    expect(leftIn(b, "tokens").left).toBe(900);
  });

  test("what a run keeps back to hand in is its own", () => {
    const root = createPurse({ tokens: 1_000 });
    const child = createPurse({}, root);
    keepBack(root, { tokens: 200 });
    expect(leftIn(child, "tokens").left).toBe(800);
    expect(leftIn(root, "tokens").left).toBe(1_000);
    keepBack(root, { tokens: 300 });
    expect(leftIn(child, "tokens").left).toBe(700);
  });

  test("an axis without a limit leaves everything", () => {
    expect(leftIn(createPurse({ tokens: 5 }), "costUsd").left).toBe(Infinity);
  });

  test("what is reserved is taken from every purse above, on every axis, and all of it is given back", () => {
    const amounts = { iterations: 1, toolCalls: 2, tokens: 300, costUsd: 4 };
    const limits = { iterations: 10, toolCalls: 10, tokens: 1_000, costUsd: 10 };
    const root = createPurse(limits);
    const child = createPurse({}, root);
    const grandchild = createPurse({}, child);
    const reservation = reserve(grandchild, amounts);
    const sibling = createPurse({}, root);
    const left = () => ({
      iterations: leftIn(sibling, "iterations").left,
      toolCalls: leftIn(sibling, "toolCalls").left,
      tokens: leftIn(sibling, "tokens").left,
      costUsd: leftIn(sibling, "costUsd").left,
    });
    expect(left()).toEqual({ iterations: 9, toolCalls: 8, tokens: 700, costUsd: 6 });
    reservation.settle({});
    expect(left()).toEqual(limits);
  });

  test("the tightest of all limits from the run up counts, not the nearest", () => {
    const root = createPurse({ tokens: 100 });
    const child = createPurse({ tokens: 600 }, root);
    expect(leftIn(child, "tokens")).toEqual({ left: 100, used: 0, max: 100 });
    expect(leftIn(createPurse({ tokens: 40 }, child), "tokens")).toEqual({ left: 40, used: 0, max: 40 });
  });

  test("the bill of every run above has the tokens by kind, and a price that was missing once stays missing", () => {
    const root = createPurse({});
    const child = createPurse({}, root);
    const usage = { input: 1, output: 2, cached: 3, reasoning: 4 };
    reserve(child, {}).settle({ usage, unpriced: true });
    reserve(child, {}).settle({ usage });
    for (const purse of [child, root]) {
      expect(purse.usage).toEqual({ input: 2, output: 4, cached: 6, reasoning: 8 });
      expect(purse.unpriced).toBe(true);
    }
  });
});
