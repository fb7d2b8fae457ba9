import type { TestCase } from "@retinue/protocol/test-case";
import { describe, expect, test } from "vitest";
import { toReplayPlan } from "../replay/to-replay-plan.ts";
import { toCasePlan } from "./to-plan.ts";

const SLOW: TestCase = {
  title: "The report is made",
  steps: [
    { action: "Click Make", expected: "It begins" },
    { action: "Click Open", expected: "It is shown", waitMs: 30_000 },
  ],
};

describe("a step that says how long its acts wait", () => {
  test("tells its agent", () => {
    const { plan } = toCasePlan(SLOW, null);
    expect(plan.steps.map(({ description }) => description)).toEqual([
      "Click Make",
      "Click Open\n(Give waitMs 30000 with every act on an element.)",
    ]);
  });

  test("gives it to recorded acts on elements, and to no others", () => {
    const element = { role: "button", name: "Open", attributes: {}, place: null };
    const click = { tool: "browser_click", input: { role: "button", name: "Open" }, locator: null, element };
    const press = { tool: "browser_press", input: { key: "Enter" }, locator: null, element: null };
    const acts = {
      steps: new Map([
        [1, [click]],
        [2, [click, press]],
      ]),
      hooks: new Map(),
      lost: [],
    };
    const { plan } = toReplayPlan(SLOW, acts, { reset: [], mayAsk: false });
    expect(plan.steps.map(({ calls }) => calls)).toEqual([
      [{ tool: "browser_click", input: { role: "button", name: "Open" } }],
      [
        { tool: "browser_click", input: { role: "button", name: "Open", waitMs: 30_000 } },
        { tool: "browser_press", input: { key: "Enter" } },
      ],
    ]);
  });
});
