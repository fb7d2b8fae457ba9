/**
 * The verdict of one step. What the runner has checked itself counts before what an agent said; where they differ it is no pass, and what nobody could
 * see is none either.
 */
import type { RunView, SessionView } from "@retinue/client";
import type { CaseStep, Checked, Evidence, StepResult, Verdict } from "@retinue/protocol/test-case";
import { describeExpected, toExpectations } from "../plan/expectations.ts";
import { collectEvidence, isAct, screenshotsOf, textOfCall, toEvidence } from "./evidence.ts";
import { formatCall } from "../report/case-log.ts";
import { actsOf } from "../replay/acts-of-run.ts";
import { judgeProse } from "./judge-prose.ts";
import { cutQuote } from "./quote.ts";
import type { PartRecord } from "./step-record.ts";
import { isHealing } from "./step-record.ts";

export type JudgedStep = { readonly step: CaseStep; readonly number: number; readonly parts: readonly PartRecord[] };

type Judged = { readonly verdict: StepResult["verdict"]; readonly reason: string; readonly cited: readonly Evidence[] };

export const judgeStep = ({ step, number, parts }: JudgedStep, session: SessionView): StepResult => {
  const judged = judgeParts(step, parts, session);
  const runs = parts.flatMap(({ run }) => run ?? []);
  const checks = parts.flatMap((part) => part.checks);
  return {
    number,
    action: step.action,
    expected: describeExpected(step.expected),
    verdict: judged.verdict,
    reason: judged.reason,
    said: parts.at(-1)?.said ?? null,
    attempts: Math.max(0, ...parts.map(({ view }) => view.attempt)),
    recovered: parts.some(({ recovered }) => recovered),
    checks,
    evidence: judged.cited.map((one) => ({ ...one, quote: cutQuote(one.quote) })),
    screenshots: runs.flatMap(screenshotsOf),
    healed: parts.flatMap((part) => healedIn(part, judged.verdict)),
    runs: parts.flatMap(({ run, checkRun }) => [run, checkRun].flatMap((one) => (one ? [one.runId] : []))),
    durationMs: runs.reduce((sum, run) => sum + durationOf(run.startedAt, run.endedAt), 0),
  };
};

const durationOf = (from: string | null, to: string | null): number =>
  from === null || to === null ? 0 : Math.max(0, Date.parse(to) - Date.parse(from));

const judgeParts = (step: CaseStep, parts: readonly PartRecord[], session: SessionView): Judged => {
  const last = parts.at(-1);
  if (!last) return { verdict: "skipped", reason: "It was not planned.", cited: [] };
  const unfinished = parts.find(({ view }) => view.state !== "completed" && view.state !== "failed");
  const early = parts.slice(0, -1).find(({ view }) => view.state === "failed");
  if (early) return judgeReached({ prose: [early.view.step.expectedResult], part: early, session });
  if (unfinished) return judgeUnfinished(unfinished);
  return judgeReached({ prose: toExpectations(step.expected).prose, part: last, session });
};

/** An application that does not answer was not tested: whatever was seen in its place is no failure of it. */
const judgeReached = (given: PartToJudge): Judged => {
  const judged = judgePart(given);
  const { run } = given.part;
  const why = run === null || judged.verdict === "pass" ? null : findUnreached(run);
  const undone = run === null || judged.verdict !== "fail" ? null : findUndone(run);
  if (why === null)
    return undone === null
      ? judged
      : { ...judged, verdict: "inconclusive", reason: `The last act was not carried out. ${undone} ${judged.reason}` };
  return {
    verdict: "blocked",
    reason: `The application could not be reached. ${why} Start it, or say in suite.yaml how it is started (app) and where it is (baseUrl).`,
    cited: judged.cited,
  };
};

/** Null where the last act was carried out, or none was tried. What was refused or found no element says nothing of the application; a command that fails may. */
const findUndone = (run: RunView): string | null => {
  const last = [...run.calls.values()].findLast((call) => call.aside === null && (call.outcome === "denied" || isAct(call)));
  const isUndone = last?.outcome === "denied" || (last?.outcome === "error" && last.tool.startsWith("browser_"));
  return last && isUndone ? `${last.tool}: ${(last.error?.message ?? textOfCall(last)).split("\n", 1)[0] ?? ""}` : null;
};

/** Null where the last act reached its page. */
const findUnreached = (run: RunView): string | null => {
  const acts = [...run.calls.values()].filter(
    ({ tool, aside, effect, error }) =>
      aside === null &&
      tool.startsWith("browser_") &&
      (error?.code === "page_unreachable" || (effect !== null && effect !== "read")),
  );
  const last = acts.findLast(({ outcome, error }) => outcome === "ok" || error?.code === "page_unreachable");
  return last?.error?.code === "page_unreachable" ? last.error.message : null;
};

const judgeUnfinished = ({ view: { state, summary } }: PartRecord): Judged =>
  state === "pending" || state === "in_progress"
    ? { verdict: "inconclusive", reason: "It was not carried out to its end.", cited: [] }
    : { verdict: "skipped", reason: summary ?? "It was not begun.", cited: [] };

type PartToJudge = { readonly prose: readonly string[]; readonly part: PartRecord; readonly session: SessionView };

const judgePart = ({ prose, part, session }: PartToJudge): Judged => {
  const { run, checkRun, checks, said, wanted, view, summary } = part;
  if (isHealing(view)) return judgeHealed({ prose, part, session });
  const checked = checkRun ? [...checkRun.calls.values()].flatMap((call) => toEvidence(checkRun, call) ?? []) : [];
  const seen = run ? [...collectEvidence(run), ...below(run, session)] : [];
  const failed = checks.filter(({ result }) => result.status === "failed");
  const unknown = checks.filter(({ result }) => result.status === "unknown");
  const unmade =
    view.step.calls && run ? [...run.calls.values()].find(({ outcome }) => outcome !== null && outcome !== "ok") : null;
  // What was not done says nothing about what it would have led to.
  if (unmade)
    return {
      verdict: "inconclusive",
      reason: `What was recorded could not be done again. ${unmade.tool}: ${unmade.error?.message ?? summary}`,
      cited: checked,
    };
  // An agent that did not even begin has tested nothing, whatever the page shows.
  if (failed.length > 0 && said === "fail" && run && run.calls.size === 0)
    return { verdict: "inconclusive", reason: `Nothing was done. ${summary}`, cited: checked };
  if (failed.length > 0)
    return {
      verdict: "fail",
      reason: `${describe(failed)}${said === null ? "" : ` The agent reported ${said.toUpperCase()}: ${summary}`}`,
      cited: [...checked, ...seen.slice(-1)],
    };
  if (checks.length < wanted || unknown.length > 0)
    return {
      verdict: said === "fail" ? "fail" : "inconclusive",
      reason:
        unknown.length > 0
          ? `Could not be checked: ${describe(unknown)} ${summary}`.trim()
          : `Not every check was made. ${summary}`.trim(),
      cited: [...checked, ...seen.slice(-1)],
      ...(said === "fail" && seen.length === 0 ? { verdict: "inconclusive" as const } : {}),
    };
  if (view.step.calls && prose.length > 0)
    return { verdict: "inconclusive", reason: "What is expected is prose, and no model was asked.", cited: checked };
  if (view.step.calls)
    return view.state === "completed"
      ? { verdict: "pass", reason: `All ${checks.length} checks held.`, cited: checked }
      : { verdict: "inconclusive", reason: summary, cited: checked };
  return judgeWord({ prose, part, seen, checked });
};

/**
 * What an agent did in place of what was recorded counts only where it did something, says that it passed, and every check that did not hold before holds now. Anything
 * else says nothing of the application: nobody knows whether the step was done.
 */
const judgeHealed = ({ prose, part: { run, checkRun, checks, said, wanted, summary } }: PartToJudge): Judged => {
  const cited = checkRun ? [...checkRun.calls.values()].flatMap((call) => toEvidence(checkRun, call) ?? []) : [];
  const broken = checks.filter(({ result }) => result.status !== "held");
  const why =
    run === null || actsOf(run).length === 0
      ? "did nothing in its place"
      : said !== "pass"
        ? `did not do it either: ${summary}`
        : broken.length > 0 || checks.length < wanted
          ? `reports PASS, which is not borne out: ${describe(broken)}`
          : null;
  if (why !== null)
    return { verdict: "inconclusive", reason: `What was recorded could not be done again, and an agent ${why}`.trim(), cited };
  return prose.length > 0
    ? {
        verdict: "inconclusive",
        reason: "What is expected is prose, and has no word but that of the agent that healed the step.",
        cited,
      }
    : { verdict: "pass", reason: `All ${checks.length} checks held, after an agent did the step otherwise: ${summary}`, cited };
};

/** Checks, where there are any, held. */
const judgeWord = ({
  prose,
  part: { said, wanted, summary, run },
  seen,
  checked,
}: {
  readonly prose: readonly string[];
  readonly part: PartRecord;
  readonly seen: readonly Evidence[];
  readonly checked: readonly Evidence[];
}): Judged => {
  if (said === null)
    return {
      verdict: verdictOfError(run?.result?.error?.code),
      reason: summary || "The agent did not say what came of it.",
      cited: [...checked, ...seen],
    };
  if (said === "fail" && wanted > 0)
    return {
      verdict: prose.length > 0 && seen.length > 0 ? "fail" : "inconclusive",
      reason: `The agent reported FAIL, though every check held: ${summary}`,
      cited: [...checked, ...seen.slice(-1)],
    };
  if (said === "fail")
    return seen.length > 0
      ? { verdict: "fail", reason: summary, cited: seen.slice(-2) }
      : { verdict: "inconclusive", reason: `The agent reported FAIL without having looked: ${summary}`, cited: [] };
  if (prose.length === 0) return { verdict: "pass", reason: summary, cited: checked };
  const judged = judgeProse(prose, seen);
  return judged.isBorneOut
    ? { verdict: "pass", reason: summary, cited: [...checked, ...judged.cited] }
    : {
        verdict: "inconclusive",
        reason: `The agent reported PASS, but ${judged.reason}. ${summary}`,
        cited: [...checked, ...judged.cited],
      };
};

/** Where a model or the network is to blame, nothing was tested. */
const verdictOfError = (code: string | undefined): Verdict => (code?.startsWith("model_") === true ? "blocked" : "inconclusive");

const describe = (checks: readonly Checked[]): string =>
  checks.map(({ result: { expected, observed } }) => `Expected that ${expected}; seen: ${observed}.`).join(" ");

/** What sub-agents of the step's run have seen. */
const below = (
  { children }: { readonly children: readonly { readonly runId: string }[] },
  session: SessionView,
): readonly Evidence[] =>
  children.flatMap(({ runId }) => {
    const run = session.runs.get(runId as Parameters<typeof session.runs.get>[0]);
    return run ? [...collectEvidence(run), ...below(run, session)] : [];
  });

const HEALED = /^healed: (.*)$/gm;

const healedIn = ({ view, run }: PartRecord, verdict: StepResult["verdict"]): readonly string[] => {
  if (run === null) return [];
  if (isHealing(view))
    return verdict === "pass"
      ? [
          `an agent with ${run.model} did it otherwise: ${actsOf(run)
            .map(({ tool, input }) => formatCall(tool, input ?? null))
            .join(", ")}`,
        ]
      : [];
  return [...run.calls.values()].flatMap(({ content }) =>
    content.flatMap((one) => (one.type === "text" ? [...one.text.matchAll(HEALED)].map(([, what = ""]) => what) : [])),
  );
};
