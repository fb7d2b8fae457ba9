import { describe, expect, it } from "vitest";
import { finishAtOnce, finishWithPauses } from "./steps.ts";

/** Works for longer than a turn in each step. */
function* work(seen: string[]): Generator<number, string> {
  for (let step = 1; step <= 3; step += 1) {
    const until = performance.now() + 30;
    while (performance.now() < until);
    seen.push(`step ${step}`);
    yield step;
  }
  return "done";
}

describe("work in steps", () => {
  it("lets others have their turn between long steps, and tells each of them", async () => {
    const seen: string[] = [];
    setImmediate(() => seen.push("others"));
    const told: number[] = [];
    expect(await finishWithPauses(work(seen), (step) => told.push(step))).toBe("done");
    expect(seen).toEqual(["step 1", "others", "step 2", "step 3"]);
    expect(told).toEqual([1, 2, 3]);
  });

  it("is finished at once where nobody may come between", () => {
    const seen: string[] = [];
    expect(finishAtOnce(work(seen))).toBe("done");
    expect(seen).toEqual(["step 1", "step 2", "step 3"]);
  });
});
