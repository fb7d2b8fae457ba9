/** What the results of a test case say, in the shape that the page draws. Fields it does not find are empty. */
import type { StatusName } from "../parts/status.tsx";

export type TestStepResult = {
  readonly text: string;
  readonly verdict: string;
  readonly evidence: readonly string[];
  readonly pictures: readonly string[];
};

export type TestCaseResult = {
  readonly name: string;
  readonly verdict: string;
  readonly isFlaky: boolean;
  readonly summary: string;
  readonly sessionId: string;
  readonly steps: readonly TestStepResult[];
};

type Loose = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Loose => typeof value === "object" && value !== null && !Array.isArray(value);

const textOf = (from: Loose, ...keys: readonly string[]): string => {
  const found = keys.map((key) => from[key]).find((value) => typeof value === "string" || typeof value === "number");
  return found === undefined ? "" : String(found);
};

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value)
    ? value
        .flatMap((one) =>
          typeof one === "string" ? [one] : isRecord(one) ? [textOf(one, "quote", "text", "message", "path", "file")] : [],
        )
        .filter((text) => text !== "")
    : [];

const toStep = (step: Loose): TestStepResult => ({
  text: textOf(step, "text", "description", "step", "action", "id"),
  verdict: textOf(step, "verdict", "status", "outcome", "state"),
  evidence: [
    ...textsOf(step["evidence"]),
    ...textsOf(step["checks"]),
    ...[textOf(step, "summary", "reason")].filter((text) => text !== ""),
  ],
  pictures: [...textsOf(step["screenshots"]), ...[textOf(step, "screenshot")].filter((text) => text !== "")],
});

export const toCaseResult = (value: unknown): TestCaseResult => {
  const from = isRecord(value) ? value : {};
  const steps = from["steps"];
  return {
    name: textOf(from, "name", "title", "caseId", "id"),
    verdict: textOf(from, "verdict", "status", "outcome"),
    isFlaky: from["isFlaky"] === true || from["flaky"] === true,
    summary: textOf(from, "summary", "reason"),
    sessionId: textOf(from, "sessionId"),
    steps: Array.isArray(steps) ? steps.filter(isRecord).map(toStep) : [],
  };
};

const VERDICTS: Readonly<Record<string, StatusName>> = {
  pass: "completed",
  passed: "completed",
  ok: "completed",
  completed: "completed",
  fail: "failed",
  failed: "failed",
  error: "timeout",
  flaky: "timeout",
  skipped: "cancelled",
  inconclusive: "partial",
  blocked: "timeout",
};

export const toVerdictStatus = (verdict: string): StatusName => VERDICTS[verdict.toLowerCase()] ?? "requested";
