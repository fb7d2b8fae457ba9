/** Test cases, checks, suites and their results: `@retinue/protocol/test-case`. */
export { checkResultSchema, checkSchema, ELEMENT_STATES, isMatch, matcherSchema, readCheckResult } from "./check.ts";
export type { Check, CheckOf, CheckResult, Matcher, PageCheck } from "./check.ts";
export { describeCheck, describeMatcher } from "./describe-check.ts";
export { formatMarks, parseMarks, STABLE_ATTRIBUTES } from "./element-marks.ts";
export type { ElementPlace, KnownElement } from "./element-marks.ts";
export { personActSchema } from "./recorded-person.ts";
export type { PersonAct, RecordedMoment } from "./recorded-person.ts";
export { caseResultSchema, suiteResultSchema, VERDICTS } from "./results.ts";
export type { CaseResult, Checked, Evidence, StepResult, SuiteResult, Verdict } from "./results.ts";
export { describeTarget, parseShortTarget, targetSchema } from "./target.ts";
export type { Target } from "./target.ts";
export { suiteSchema, testCaseSchema } from "./test-case.ts";
export type { BrowserSurroundings, CaseStep, DialogAnswer, Expected, Hook, Suite, TestCase } from "./test-case.ts";
