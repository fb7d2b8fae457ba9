import type { Plan } from "@retinue/protocol";
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

describe("a plan whose sub-tasks do not say which step they are for", () => {
  const LOGIN: TestCase = {
    title: "Log in and add a product",
    steps: [
      { action: "Log in as ada with the password from the note", expected: "The page greets Ada" },
      { action: "Add a desk lamp to the cart", expected: { check: "text", in: { role: "status" }, equals: "1 item" } },
      { action: "Check out", expected: "The order is confirmed" },
    ],
  };
  const planOf = (...descriptions: readonly string[]): Plan => ({
    goal: LOGIN.title,
    steps: descriptions.map((description, index) => ({
      id: String(index + 1),
      description,
      expectedResult: "it is seen",
      type: "check",
      agent: "qa-step",
      dependsOn: [],
      requiresApproval: false,
    })),
  });
  const idsOf = (plan: Plan): readonly (readonly [string, string])[] =>
    plan.steps.map(({ id, description }) => [id, description]);

  test("follows the steps in order, split and with what is implied before them", () => {
    const { plan, problem } = toCasePlan(
      LOGIN,
      planOf(
        "Open the browser",
        "Type ada and the password from the note",
        "Click Log in and look for the greeting",
        "Search for the desk lamp",
        "Add the desk lamp to the cart",
        "Click Check out",
      ),
    );
    expect(problem).toBeNull();
    expect(idsOf(plan)).toEqual([
      ["1-1", "Open the browser"],
      ["1-2", "Type ada and the password from the note"],
      ["1-3", "Click Log in and look for the greeting"],
      ["2-1", "Search for the desk lamp"],
      ["2-2", "Add the desk lamp to the cart"],
      ["3", "Check out"],
    ]);
    expect(plan.steps.map(({ expectedResult, checks = [] }) => [expectedResult, checks.length])).toEqual([
      ["it is seen", 0],
      ["it is seen", 0],
      ["The page greets Ada", 0],
      ["it is seen", 0],
      [expect.stringContaining("[checked by the runner]"), 1],
      ["The order is confirmed", 0],
    ]);
  });

  test("is counted where there are as many as steps", () => {
    const { plan, problem } = toCasePlan(LOGIN, planOf("Sign on", "Buy something", "Pay"));
    expect([problem, idsOf(plan).map(([id]) => id)]).toEqual([null, ["1", "2", "3"]]);
  });

  test.each([
    ["it has fewer than there are steps", ["Log in as ada and add a desk lamp", "Check out"], "has 2 sub-tasks for 3 steps"],
    [
      "nobody could say which belongs to a step",
      ["Sign on", "Purchase something", "Wait", "Pay for it"],
      "does not tell which sub-tasks are for step 1",
    ],
  ])("is not used where %s, and the log says so", (_, descriptions, why) => {
    const { plan, problem } = toCasePlan(LOGIN, planOf(...descriptions));
    expect(problem).toBe(`The orchestrator's plan ${why}; the steps are carried out as written.`);
    expect(idsOf(plan).map(([id]) => id)).toEqual(["1", "2", "3"]);
  });
});
