/** Makes the result of a run from its state. */
import type { BailoutReason, ErrorValue, LimitName, RunResult, RunStatus } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { findUnverified } from "../delegation/claims.ts";
import { readJson } from "./output.ts";
import type { RunState } from "../record/run-state.ts";

const SUMMARY_CHARS = 1_000;

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

/** How a run ends that somebody asked to finish. */
export const finishEnding = ({ finishRequested }: RunState): Ending => ({
  status: "partial",
  bailoutReason: "cancelled",
  error: {
    code: "cancelled",
    message: `The run was asked to finish${finishRequested?.reason === undefined ? "." : `: ${finishRequested.reason}`}`,
  },
});

export const toResult = (state: RunState, ending: Ending, activeMs: number): RunResult => {
  const { used } = state;
  const details = state.lastText;
  const output = state.spec.output && ending.status === "completed" ? readJson(details) : undefined;
  return {
    status: ending.status,
    summary: toSummary(details) || ending.error?.message || "",
    details,
    ...(output === undefined ? {} : { output }),
    filesModified: [...state.filesModified],
    filesCreated: [...state.filesCreated],
    testsRun: state.testsRun,
    testsPassed: state.testsPassed,
    warnings: [...state.warnings],
    unverified: findUnverified(details, state),
    suggestions: [],
    findings: [],
    iterations: used.iterations,
    toolCalls: used.toolCalls,
    contextTokens: state.contextTokens,
    durationMs: Math.round(activeMs),
    usage: used.usage,
    costUsd: used.unpriced ? null : used.costUsd,
    depth: state.identity.depth,
    ...(state.worktree?.merged ? { merge: state.worktree.merged } : {}),
    ...(ending.bailoutReason === undefined ? {} : { bailoutReason: ending.bailoutReason }),
    ...(ending.error === undefined ? {} : { error: ending.error }),
  };
};

/** Whole paragraphs as long as they fit; a first paragraph that does not is cut. */
const toSummary = (text: string): string => {
  if (text.length <= SUMMARY_CHARS) return text;
  const end = text.lastIndexOf("\n\n", SUMMARY_CHARS);
  return `${text.slice(0, end > 0 ? end : SUMMARY_CHARS - 1).trimEnd()}…`;
};
