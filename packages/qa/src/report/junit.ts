/**
 * JUnit XML, as servers of CI read it. `fail` is a failure. `blocked` and `inconclusive` are errors, told apart by their type, since nothing else of the format
 * keeps a build from being green. Flaky and healed cases are passes with a property each.
 */
import type { CaseResult, StepResult, SuiteResult } from "@retinue/protocol/test-case";
import { countVerdicts, marksOf } from "./summarise.ts";

export const toJunit = (result: SuiteResult): string => {
  const { fail, blocked, inconclusive } = countVerdicts(result);
  const head = `tests="${result.cases.length}" failures="${fail}" errors="${blocked + inconclusive}" time="${seconds(result.durationMs)}"`;
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites name="retinue test" ${head}>`,
    `  <testsuite name="${escape(result.id)}" timestamp="${escape(result.startedAt)}" ${head}>`,
    ...result.cases.map(toTestCase),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
};

const toTestCase = (result: CaseResult): string => {
  const properties = [
    ["verdict", result.verdict],
    ...marksOf(result).map((mark) => [mark, "true"]),
    ...(result.sessionId === null ? [] : [["session", result.sessionId]]),
    ["tokens", String(result.usage.input + result.usage.output)],
    ...(result.costUsd === null ? [] : [["costUsd", result.costUsd.toFixed(4)]]),
  ];
  const log = [...result.steps.map(toLine), ...(result.healing?.diff ?? [])].join("\n");
  return [
    `    <testcase classname="${escape(result.file)}" name="${escape(result.title)}" time="${seconds(result.durationMs)}">`,
    "      <properties>",
    ...properties.map(([name = "", value = ""]) => `        <property name="${escape(name)}" value="${escape(value)}"/>`),
    "      </properties>",
    ...toOutcome(result),
    ...(log === "" ? [] : [`      <system-out>${escape(log)}</system-out>`]),
    "    </testcase>",
  ].join("\n");
};

const toOutcome = (result: CaseResult): readonly string[] => {
  const body = escape([result.reason, ...result.problems].join("\n"));
  const message = escape(result.reason.split("\n", 1)[0] ?? "");
  switch (result.verdict) {
    case "pass":
      return [];
    case "fail":
      return [`      <failure type="fail" message="${message}">${body}</failure>`];
    case "blocked":
    case "inconclusive":
      return [`      <error type="${result.verdict}" message="${message}">${body}</error>`];
    default:
      return result.verdict satisfies never;
  }
};

const toLine = ({ number, verdict, action, reason, evidence, healed }: StepResult): string =>
  [
    `${number}. ${verdict}: ${action}`,
    `   ${reason}`,
    ...healed.map((one) => `   healed: ${one}`),
    ...evidence.map(({ tool, quote }) => `   evidence: ${tool}: ${quote.split("\n", 1)[0] ?? ""}`),
  ].join("\n");

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

/** Also what XML does not allow at all, which pages and programs may well print. */
const escape = (text: string): string =>
  text
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex -- these are what must not be there
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
