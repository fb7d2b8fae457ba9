/** Makes the result of a run from its state. */
import type { BailoutReason, Bill, ErrorValue, Json, JsonObject, LimitName, RunResult, RunStatus } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { AnswerSections } from "../delegation/answer-sections.ts";
import { readSections } from "../delegation/answer-sections.ts";
import { findUnverified } from "../delegation/claims/find-unverified.ts";
import { SUMMARY_CHARS } from "../delegation/report.ts";
import type { Purse } from "../limits/purse.ts";
import { leftIn } from "../limits/purse.ts";
import { readJson } from "./output.ts";
import type { RunState } from "../record/run-state.ts";

const BAILOUTS: Record<LimitName, BailoutReason> = {
  iterations: "max_iterations",
  toolCalls: "max_tool_calls",
  durationMs: "timeout",
  contextTokens: "max_context",
  tokens: "max_tokens",
  costUsd: "max_cost",
};

export type Ending = {
  readonly status: RunStatus;
  readonly bailoutReason?: BailoutReason;
  readonly error?: ErrorValue;
};

/** How a run that reached a limit ends. It timed out only if it had no time left to hand in. */
export const limitEnding = ({ limit, handedIn }: RunState): Ending => {
  if (!limit) throw new RetinueError("internal", "the run ends by a limit that was not recorded");
  return {
    status: limit.limit === "durationMs" && !handedIn ? "timeout" : "partial",
    bailoutReason: BAILOUTS[limit.limit],
    error: {
      code: "limit_reached",
      message: `The run was stopped by its limit ${limit.limit}: ${limit.used} used of ${limit.max}.`,
    },
  };
};

/** How a run ends that somebody asked to finish, or that was stuck. */
export const finishEnding = ({ finishRequested, stuck }: RunState): Ending =>
  stuck
    ? {
        status: "failed",
        bailoutReason: "stuck",
        error: { code: "stuck", message: "The agent repeated the same calls with the same outcome." },
      }
    : {
        status: "partial",
        bailoutReason: "cancelled",
        error: {
          code: "cancelled",
          message: `The run was asked to finish${finishRequested?.reason === undefined ? "." : `: ${finishRequested.reason}`}`,
        },
      };

export const toResult = (state: RunState, ending: Ending, activeMs: number, purse?: Purse): RunResult => {
  const { used } = state;
  const details = state.lastText;
  const output = state.spec.output && ending.status === "completed" ? readJson(details) : undefined;
  const sections = readSections(details);
  const lists = listsOf(output, sections);
  return {
    status: ending.status,
    agent: state.identity.agent,
    summary: toSummary(sections.summary ?? details) || ending.error?.message || "",
    details,
    ...(output === undefined ? {} : { output }),
    filesModified: [...state.filesModified],
    filesCreated: [...state.filesCreated],
    testsRun: state.testsRun,
    testsPassed: state.testsPassed,
    ...latestTests(state),
    warnings: [...state.warnings, ...lists.warnings],
    unverified: findUnverified(details, state),
    suggestions: lists.suggestions,
    findings: lists.findings,
    ...(state.transferredTo === null ? {} : { transferredTo: state.transferredTo }),
    iterations: used.iterations,
    toolCalls: used.toolCalls,
    contextTokens: state.contextTokens,
    durationMs: Math.round(activeMs),
    usage: used.usage,
    costUsd: used.unpriced ? null : used.costUsd,
    ...(purse === undefined ? {} : { total: totalOf(purse), ...remainingOf(state, activeMs, purse) }),
    depth: state.identity.depth,
    ...(state.worktree?.merged ? { merge: state.worktree.merged } : {}),
    ...(ending.bailoutReason === undefined ? {} : { bailoutReason: ending.bailoutReason }),
    ...(ending.error === undefined ? {} : { error: ending.error }),
  };
};

/** Sums of many small costs depend on their order in the last places; nobody is billed those. */
const toNanos = (costUsd: number): number => Math.round(costUsd * 1e9) / 1e9;

const totalOf = ({ used, usage, unpriced }: Purse): Bill => ({
  usage,
  costUsd: unpriced ? null : toNanos(used.costUsd),
  iterations: used.iterations,
  toolCalls: used.toolCalls,
});

const LEFT = ["iterations", "toolCalls", "durationMs", "tokens", "costUsd"] as const;

/** Of each limit that holds here what is left, by the tightest of those of the run and above it. */
const remainingOf = ({ spec: { limits }, used }: RunState, activeMs: number, purse: Purse): Pick<RunResult, "remaining"> => {
  const own = (name: "iterations" | "toolCalls"): number => (limits[name] ?? Infinity) - used[name];
  const left = {
    iterations: Math.min(own("iterations"), leftIn(purse, "iterations").left),
    toolCalls: Math.min(own("toolCalls"), leftIn(purse, "toolCalls").left),
    durationMs: (limits.durationMs ?? Infinity) - Math.round(activeMs),
    tokens: leftIn(purse, "tokens").left,
    costUsd: toNanos(leftIn(purse, "costUsd").left),
  };
  let remaining: { [Name in (typeof LEFT)[number]]?: number } | undefined;
  for (const name of LEFT) if (left[name] < Infinity) (remaining ??= {})[name] = Math.max(0, left[name]);
  return remaining === undefined ? {} : { remaining };
};

const latestTests = ({ testRuns }: RunState): Pick<RunResult, "latestTests"> => {
  const latest = testRuns.at(-1);
  return latest && testRuns.length > 1 ? { latestTests: { run: latest.run, passed: latest.passed } } : {};
};

type Lists = Pick<RunResult, "warnings" | "suggestions" | "findings">;

/** What the agent handed in by its schema, or else what stands in the sections of its answer. */
const listsOf = (output: Json | undefined, sections: AnswerSections): Lists => {
  if (output === undefined) return sections;
  const listed = (key: string): readonly Json[] => {
    const value =
      typeof output === "object" && output !== null && !Array.isArray(output) ? (output as JsonObject)[key] : undefined;
    return Array.isArray(value) ? (value as readonly Json[]) : [];
  };
  const texts = (key: string): readonly string[] =>
    listed(key).map((item) => (typeof item === "string" ? item : JSON.stringify(item)));
  return { warnings: texts("warnings"), suggestions: texts("suggestions"), findings: listed("findings") };
};

/** Whole paragraphs as long as they fit; a first paragraph that does not is cut. */
const toSummary = (text: string): string => {
  if (text.length <= SUMMARY_CHARS) return text;
  const end = text.lastIndexOf("\n\n", SUMMARY_CHARS);
  return `${text.slice(0, end > 0 ? end : SUMMARY_CHARS - 1).trimEnd()}…`;
};
