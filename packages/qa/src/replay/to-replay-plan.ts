/** A plan that does what a passed case did again, without a model, and checks everything that can be checked. What is expected is read from the case as it is now. */
import type { Plan } from "@retinue/protocol";
import type { TestCase } from "@retinue/protocol/test-case";
import { describeExpected, toExpectations } from "../plan/expectations.ts";
import { toCheckCall } from "../plan/to-calls.ts";
import type { RecordedActs } from "./recorded-acts.ts";

export const toReplayPlan = ({ title, steps }: TestCase, { steps: acts }: RecordedActs): Plan => ({
  goal: title,
  steps: steps.map(({ action, expected }, index) => {
    const { checks } = toExpectations(expected);
    return {
      id: String(index + 1),
      description: action,
      expectedResult: describeExpected(expected),
      type: "check",
      agent: "qa-step",
      dependsOn: [],
      requiresApproval: false,
      calls: (acts.get(index + 1) ?? []).map(({ tool, input }) => ({ tool, input })),
      ...(checks.length === 0 ? {} : { checks: checks.map(toCheckCall) }),
    };
  }),
});
