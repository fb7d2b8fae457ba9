/** A case whose plan cannot be carried out, with ports that are played. */
import type { Plan } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import type { LoadedCase } from "../load/parse-case.ts";
import { toSubTaskPlan } from "../plan/to-plan.ts";
import type { QaPorts } from "./ports.ts";
import { runCase } from "./run-case.ts";

const CASE: LoadedCase = {
  id: "a",
  file: "a.yaml",
  suite: {},
  suiteFile: null,
  variables: {},
  testCase: { title: "A", steps: [{ action: "Open the shop", expected: "It is shown" }] },
};

const planOf = (count: number): Plan =>
  toSubTaskPlan(
    "A",
    Array.from({ length: count }, (_, at) => ({ step: 1, description: `Open part ${at}`, expectedResult: "seen" })),
  );

const play = async (plans: readonly Plan[], most: number) => {
  const asked: string[] = [];
  const carried: number[] = [];
  const ports: QaPorts = {
    makeCalls: () => Promise.resolve({ outcomes: [], fault: null }),
    planCase: (text) => {
      asked.push(text);
      return Promise.resolve({ plan: plans[asked.length - 1] ?? null, fault: null });
    },
    carryOut: ({ steps }) => {
      if (steps.length > most)
        throw new RetinueError(
          "plan_invalid",
          `The plan cannot be carried out: it has ${steps.length} steps, and ${most} is the most.`,
        );
      carried.push(steps.length);
      return Promise.resolve({ fault: null });
    },
    runFlat: () => Promise.resolve({ fault: null }),
    newSessionId: () => "ses_a",
    configureBrowser: () => undefined,
    events: () => Promise.resolve([]),
    now: () => 0,
  };
  const result = await runCase(CASE, ports, { attempt: 1, signal: new AbortController().signal });
  return { asked, carried, result };
};

describe("a plan of more steps than there may be", () => {
  test("is asked for again once, with the reason", async () => {
    const { asked, carried, result } = await play([planOf(4), planOf(2)], 3);
    expect([asked.length, carried, result.problems]).toEqual([2, [2], []]);
    expect(asked[1]).toContain("it has 4 steps, and 3 is the most");
  });

  test("is then carried out as written, which is said", async () => {
    const { asked, carried, result } = await play([planOf(4), planOf(5)], 3);
    expect([asked.length, carried]).toEqual([2, [1]]);
    expect(result.problems).toEqual([
      "The plan cannot be carried out: it has 5 steps, and 3 is the most. The steps are carried out as written.",
    ]);
  });

  test("blocks the case where the case itself has more", async () => {
    const { carried, result } = await play([planOf(4), planOf(4)], 0);
    expect([carried, result.verdict, result.reason]).toEqual([
      [],
      "blocked",
      "The plan cannot be carried out: it has 1 steps, and 0 is the most.",
    ]);
  });
});
