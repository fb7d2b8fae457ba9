/** The end of a call in the terminal: a line for each case that did not simply pass, and how many came to what. */
import type { CaseResult, SuiteResult, Verdict } from "@retinue/protocol/test-case";

const WORDS: Readonly<Record<Verdict, string>> = { pass: "PASS", fail: "FAIL", blocked: "BLOCKED", inconclusive: "INCONCLUSIVE" };
const GLYPHS: Readonly<Record<Verdict, string>> = { pass: "✓", fail: "✗", blocked: "■", inconclusive: "?" };

/** Words that stand beside a verdict. */
export const marksOf = ({ flaky, healed, steps }: CaseResult): readonly string[] => [
  ...(flaky ? ["flaky"] : []),
  ...(healed ? ["healed"] : []),
  ...(steps.some(({ recovered }) => recovered) ? ["recovered"] : []),
];

export const formatCaseLine = (result: CaseResult): string => {
  const marks = marksOf(result);
  return `${GLYPHS[result.verdict]} ${WORDS[result.verdict]} ${result.title} (${formatSeconds(result.durationMs)})${marks.length > 0 ? ` [${marks.join(", ")}]` : ""}`;
};

/** What a tester needs to see of a case that did not pass. */
export const formatCaseDetails = (result: CaseResult): readonly string[] => {
  if (result.verdict === "pass") return formatHealing(result);
  const step = result.steps.find(({ verdict }) => verdict !== "pass" && verdict !== "skipped");
  return [
    `  ${result.file}`,
    ...(step ? [`  step ${step.number}: ${step.action}`, `  expected: ${step.expected.replaceAll("\n", "\n            ")}`] : []),
    `  ${result.verdict === "blocked" ? "blocked" : "why"}: ${result.reason}`,
    ...(step?.evidence ?? []).slice(0, 3).map(({ tool, quote }) => `  evidence: ${tool}: ${firstLine(quote)}`),
    ...formatHealing(result),
    ...(result.sessionId === null ? [] : [`  recorded as ${result.sessionId}`]),
  ];
};

/** How elements were found again, and what is done otherwise than recorded. */
const formatHealing = ({ steps, healing }: CaseResult): readonly string[] => [
  ...steps.flatMap(({ number, healed }) => healed.map((one) => `  healed in step ${number}: ${one}`)),
  ...(healing?.diff ?? []).map((line) => `  ${line}`),
  ...(healing ? [healing.saved ? "  saved: --rerun does it so from now on" : "  not saved: --rerun --heal save would"] : []),
];

export const countVerdicts = ({ cases }: Pick<SuiteResult, "cases">): Readonly<Record<Verdict | "flaky" | "healed", number>> => {
  const of = (verdict: Verdict): number => cases.filter((one) => one.verdict === verdict).length;
  return {
    pass: of("pass"),
    fail: of("fail"),
    blocked: of("blocked"),
    inconclusive: of("inconclusive"),
    flaky: cases.filter(({ flaky }) => flaky).length,
    healed: cases.filter(({ healed }) => healed).length,
  };
};

export const formatSummary = (result: SuiteResult): string => {
  const { pass, fail, blocked, inconclusive, flaky, healed } = countVerdicts(result);
  const told = [
    `${pass} passed${flaky > 0 ? ` (${flaky} flaky)` : ""}${healed > 0 ? ` (${healed} healed)` : ""}`,
    ...(fail > 0 ? [`${fail} failed`] : []),
    ...(blocked > 0 ? [`${blocked} blocked`] : []),
    ...(inconclusive > 0 ? [`${inconclusive} inconclusive`] : []),
  ];
  return `${told.join(", ")} of ${result.cases.length} in ${formatSeconds(result.durationMs)}`;
};

export const formatSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const firstLine = (text: string): string => text.split("\n", 1)[0]?.slice(0, 200) ?? "";
