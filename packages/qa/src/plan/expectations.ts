/** What a step expects, taken apart: the prose that an agent judges, and the checks that the runner evaluates itself. */
import type { Check, Expected } from "@retinue/protocol/test-case";
import { describeCheck } from "@retinue/protocol/test-case";

export type Expectations = { readonly prose: readonly string[]; readonly checks: readonly Check[] };

export const toExpectations = (expected: Expected | undefined): Expectations => {
  const all = expected === undefined ? [] : Array.isArray(expected) ? expected : [expected];
  return {
    prose: all.filter((one): one is string => typeof one === "string"),
    checks: all.filter((one): one is Check => typeof one !== "string"),
  };
};

/** Stands behind what an agent need not judge. */
const CHECKED = "[checked by the runner]";

/** In words, for whoever carries the step out. */
export const describeExpected = (expected: Expected | undefined): string => {
  const { prose, checks } = toExpectations(expected);
  const lines = [...prose, ...checks.map((check) => `${capital(describeCheck(check))}. ${CHECKED}`)];
  return lines.length === 0 ? "It is done." : lines.join("\n");
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
