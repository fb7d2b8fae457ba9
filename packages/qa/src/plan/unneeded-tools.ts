/** Which tools the steps of a case go without: those of a screen where it has none, those of the browser where it works on a screen and on no page. Small contexts hold few tools. */
import type { Check, Desktop, Expected, Hook, TestCase } from "@retinue/protocol/test-case";
import { toExpectations } from "./expectations.ts";

const SCREEN_TOOLS: readonly string[] = ["screenshot", "click", "type", "key", "scroll"];
const BROWSER_TOOLS: readonly string[] = ["browser_*"];

export const unneededTools = (testCase: TestCase, desktop: Desktop | undefined, reset: readonly Hook[] = []): readonly string[] =>
  desktop === undefined ? SCREEN_TOOLS : usesPages(testCase, reset) ? [] : BROWSER_TOOLS;

/** By its checks, by addresses in its words, or by what it says of its browser. */
const usesPages = (testCase: TestCase, reset: readonly Hook[]): boolean => {
  const { steps, before = [], after = [], preconditions = [], browser, role } = testCase;
  if (browser !== undefined || role !== undefined) return true;
  const acts = [...steps, ...[...reset, ...before, ...after].filter((hook) => "action" in hook)];
  return (
    preconditions.some((one) => (typeof one === "string" ? isAboutPages(one) : isOfPage(one))) ||
    acts.some(({ action, expected }) => isAboutPages(action) || expects(expected))
  );
};

const expects = (expected: Expected | undefined): boolean => {
  const { prose, checks } = toExpectations(expected);
  return checks.some(isOfPage) || prose.some(isAboutPages);
};

const isOfPage = ({ check }: Check): boolean => check !== "command";

const isAboutPages = (text: string): boolean => /\bhttps?:\/\/|\bbrowser\b/i.test(text);
