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
});
