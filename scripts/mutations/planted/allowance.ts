/** Planted in the allowance: whether the next act may be begun. */
import type { Mutation } from "../mutation.ts";

const file = "packages/runtime/src/limits/allowance.ts";
const tests = ["packages/runtime/src/limits/allowance.test.ts", "packages/runtime/src/limits/limits.test.ts"];

export const ALLOWANCE: readonly Mutation[] = [
  {
    name: "allowance/one-turn-too-many",
    file,
    before: "used.iterations >= limits.iterations",
    after: "used.iterations > limits.iterations",
    tests,
  },
  {
    name: "allowance/one-turn-too-many-in-the-tree",
    file,
    before: "turnsLeft.left < 1",
    after: "turnsLeft.left < 0",
    tests,
  },
  {
    name: "allowance/no-time-to-hand-in",
    file,
    before: "(handIn ? limits.durationMs : workMs(limits.durationMs))",
    after: "limits.durationMs",
    tests,
  },
  {
    name: "allowance/hand-in-stops-when-work-stops",
    file,
    before: "(handIn ? limits.durationMs : workMs(limits.durationMs))",
    after: "workMs(limits.durationMs)",
    tests,
  },
  {
    name: "allowance/forgets-the-request",
    file,
    before: "(tokens.left - turns * requestTokens - kept)",
    after: "(tokens.left - kept)",
    tests,
  },
  {
    name: "allowance/leaves-nothing-for-the-turn-after",
    file,
    before: "const turns = handIn ? 1 : 2;",
    after: "const turns = 1;",
    tests,
  },
  {
    name: "allowance/leaves-nothing-for-the-hand-in",
    file,
    before: "const kept = handIn ? 0 : handInOutput(tokens.max);",
    after: "const kept = 0;",
    tests,
  },
  {
    name: "allowance/writes-more-than-is-left",
    file,
    before: "    output = Math.min(output, handIn ? affordable : shareOf(affordable));\n",
    after: "",
    tests,
  },
  {
    name: "allowance/an-unknown-price-is-free",
    file,
    before: "reasoning: 0 }) ?? Infinity;",
    after: "reasoning: 0 }) ?? 0;",
    tests,
  },
  {
    name: "allowance/reserves-the-answer-without-the-request",
    file,
    before: "tokens: requestTokens + (isCapped ?",
    after: "tokens: (isCapped ?",
    tests,
  },
  {
    name: "allowance/reserves-no-cost",
    file,
    before: "...(costLeft.left < Infinity ? { costUsd: cost(requestTokens, output) } : {}),",
    after: "",
    tests,
  },
  {
    name: "allowance/cost-without-the-hand-in",
    file,
    before: "cost(requestTokens, output) + kept(output) > costLeft.left",
    after: "cost(requestTokens, output) > costLeft.left",
    tests,
  },
  {
    name: "allowance/one-call-too-many",
    file,
    before: ": { left: own - used.toolCalls,",
    after: ": { left: own - used.toolCalls + 1,",
    tests,
  },
  {
    name: "allowance/the-tree-allows-more-calls-than-the-run",
    file,
    before: "own === undefined || tree.left <= own - used.toolCalls",
    after: "own === undefined || tree.left >= own - used.toolCalls",
    tests,
  },
];
