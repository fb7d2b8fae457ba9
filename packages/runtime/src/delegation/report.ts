/**
 * What a parent reads of a child's result: the answer whole, up to an amount, and what was measured. Above the amount head and tail stay,
 * and the whole answer is an artifact. No text stands in a report twice, and no field that has nothing to say.
 */
import type { ArtifactRef, JsonObject, RunResult } from "@retinue/protocol";
import type { Artifacts } from "../context/artifacts.ts";
import { estimateText } from "../context/estimate.ts";
import { keepEnds } from "../context/shorten.ts";
import { readSections } from "./answer-sections.ts";

/** How a report is worded: as every result, or as the callers of a YAML skill expect it, who have called it by this name. */
export type ReportForm = { readonly type: "result" } | { readonly type: "skill"; readonly called?: string | undefined };

const AS_RESULT: ReportForm = { type: "result" };

/** What enters a parent's context whole where nothing else is set. */
export const RESULT_TOKENS = 4_000;

/** An answer without a section of its own for it is its own summary up to this length. */
export const SUMMARY_CHARS = 500;

const CHARS_PER_TOKEN = 4;
/** A head and a tail shorter than this tell nothing. */
const LEAST_CHARS = 200;

export type Reported = { readonly report: JsonObject; readonly artifact?: ArtifactRef };

export type ReportOptions = {
  readonly form?: ReportForm;
  /** How many tokens of the answer may enter the parent's context. */
  readonly mostTokens?: number | undefined;
  readonly artifacts: Artifacts;
};

export const createReport = async (result: RunResult, options: ReportOptions): Promise<Reported> => {
  const { form = AS_RESULT, mostTokens = RESULT_TOKENS, artifacts } = options;
  const said = answerOf(result);
  if (estimateText(said) <= mostTokens) return { report: toReport(result, form) };
  const artifact = await artifacts.write(said);
  const mostChars = mostTokens * CHARS_PER_TOKEN;
  const lists = result.output === undefined ? listsOf(result) : {};
  // Lists that would take the place of the answer are left where they stand in it.
  const keepsLists = JSON.stringify(lists).length <= mostChars / 2;
  const body = keepsLists && result.output === undefined ? readSections(said).rest : said;
  const left = Math.max(LEAST_CHARS, mostChars - (keepsLists ? JSON.stringify(lists).length : 0));
  const details = keepEnds(body, left, { artifact, whole: said });
  return { artifact, report: word(result, form, { answer: { details }, lists: keepsLists ? lists : {} }) };
};

/** The whole answer in one report. */
export const toReport = (result: RunResult, form: ReportForm = AS_RESULT): JsonObject => {
  const { details, output } = result;
  if (output !== undefined) return word(result, form, { answer: { output }, lists: {} });
  if (form.type === "skill") return word(result, form, { answer: details === "" ? {} : { details }, lists: {} });
  const { summary, rest } = readSections(details);
  if (summary !== undefined) {
    const answer = { summary, ...(rest === "" ? {} : { details: rest }) };
    return word(result, form, { answer, lists: listsOf(result) });
  }
  const answer = rest === "" ? {} : rest.length <= SUMMARY_CHARS ? { summary: rest } : { details: rest };
  return word(result, form, { answer, lists: listsOf(result) });
};

/** A summary in place of the answer, which is kept as an artifact. */
export const toSummaryReport = (
  result: RunResult,
  form: ReportForm,
  { summary, artifact }: { readonly summary: string; readonly artifact: ArtifactRef },
): JsonObject => {
  const whole = `artifact:${artifact.artifactId} (${artifact.lines} lines): read it in ranges, or search it with grep`;
  return word(result, form, { answer: form.type === "skill" ? { details: summary, whole } : { summary, whole }, lists: {} });
};

const answerOf = ({ output, details }: RunResult): string => (output === undefined ? details : JSON.stringify(output, null, 2));

type Answer = {
  readonly summary?: string;
  readonly details?: string;
  readonly output?: JsonObject[string];
  readonly whole?: string;
};

/** Warnings of ours, as of a merge, are in the lists too. */
const listsOf = ({ warnings, suggestions, findings }: RunResult): JsonObject => ({
  ...(warnings.length > 0 ? { warnings } : {}),
  ...(suggestions.length > 0 ? { suggestions } : {}),
  ...(findings.length > 0 ? { findings } : {}),
});

const word = (
  result: RunResult,
  form: ReportForm,
  { answer, lists }: { readonly answer: Answer; readonly lists: JsonObject },
): JsonObject => {
  const measured = measuredOf(result);
  const { agent } = result;
  const error = result.error && `${result.error.code}: ${result.error.message}`;
  if (form.type === "skill") {
    const { called } = form;
    const { summary, details, output, whole } = answer;
    const said = output ?? details ?? summary;
    return {
      // What failed is known by its `error`, as the callers of skills expect it.
      ...(error === undefined
        ? { status: result.status === "completed" ? "ok" : result.status }
        : { error, current_depth: result.depth }),
      ...((called ?? agent) === undefined ? {} : { skill: called ?? agent ?? "" }),
      ...(said === undefined ? {} : { result: said }),
      depth: result.depth,
      ...(whole === undefined ? {} : { whole }),
      ...measured,
    };
  }
  return {
    status: result.status,
    ...(agent === undefined ? {} : { agent }),
    ...answer,
    ...measured,
    ...lists,
    iterations: result.iterations,
    toolCalls: result.toolCalls,
    ...(result.contextTokens > 0 ? { contextTokens: result.contextTokens } : {}),
    durationMs: result.durationMs,
    depth: result.depth,
    ...(result.bailoutReason === undefined ? {} : { bailoutReason: result.bailoutReason }),
    ...(error === undefined ? {} : { error, currentDepth: result.depth }),
  };
};

/** What the record says, where it says something. */
const measuredOf = ({
  filesModified,
  filesCreated,
  testsRun,
  testsPassed,
  latestTests,
  unverified,
  merge,
}: RunResult): JsonObject => ({
  ...(filesModified.length > 0 ? { filesModified } : {}),
  ...(filesCreated.length > 0 ? { filesCreated } : {}),
  ...(merge && merge.conflicts.length > 0 ? { conflicts: merge.conflicts } : {}),
  ...(testsRun > 0 ? { testsRun, testsPassed } : {}),
  ...(latestTests === undefined ? {} : { latestTests }),
  ...(unverified.length > 0 ? { unverified } : {}),
});
