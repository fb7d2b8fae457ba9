/** A test case in words, as its orchestrator reads it. Secrets stand in it by name alone. */
import type { TestCase } from "@retinue/protocol/test-case";
import { describeCheck } from "@retinue/protocol/test-case";
import { describeExpected } from "./expectations.ts";

export const describeCase = ({ title, description, preconditions = [], steps }: TestCase): string =>
  [
    title,
    ...(description === undefined ? [] : [description]),
    ...(preconditions.length === 0
      ? []
      : [`Preconditions:\n${preconditions.map((one) => `- ${typeof one === "string" ? one : describeCheck(one)}`).join("\n")}`]),
    ...steps.map(({ action, expected }, index) => `Step ${index + 1}: ${action}\nExpected: ${describeExpected(expected)}`),
  ].join("\n\n");
