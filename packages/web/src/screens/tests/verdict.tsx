/** What became of a case or a step of it, in the colours of runs: only a pass is green, and what could not be tested is not red. */
import type { RouteOutput } from "@retinue/protocol/routes";
import { Glyph, type StatusName } from "../../parts/status.tsx";

export type TestRun = RouteOutput<"getTestRun">;
export type CaseResult = TestRun["cases"][number];
export type StepResult = CaseResult["steps"][number];
export type PendingCase = TestRun["pending"][number];
export type TestCaseItem = RouteOutput<"listTestCases">["cases"][number];

export type VerdictName = StepResult["verdict"];

export const VERDICT_STATUS: Readonly<Record<VerdictName, StatusName>> = {
  pass: "completed",
  fail: "failed",
  blocked: "timeout",
  inconclusive: "partial",
  skipped: "cancelled",
};

export const Verdict = ({ verdict }: { readonly verdict: VerdictName }) => (
  <span className="badge" data-status={VERDICT_STATUS[verdict]}>
    <Glyph status={VERDICT_STATUS[verdict]} />
    {verdict}
  </span>
);

/** It passed, but not at the first attempt. */
export const FlakyMark = () => (
  <span className="badge" data-status="timeout" title="It passed, but not at the first attempt">
    flaky
  </span>
);
