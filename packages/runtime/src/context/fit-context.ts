/** Makes the conversation fit before a request is made, and records what was done to it. */
import type { Model } from "@retinue/model/contract";
import type { ErrorValue, Message, Usage } from "@retinue/protocol";
import { NO_USAGE, RetinueError, toErrorValue } from "@retinue/protocol";
import type { Range } from "./context.ts";
import { SUMMARY_SYSTEM, planClearing, summaryRange, toBareSummary, toTranscript } from "./context.ts";
import { estimateText } from "./estimate.ts";
import type { LiveRun } from "../loop/live-run.ts";
import { askAside } from "../loop/ask-aside.ts";
import { isAway } from "../loop/outage.ts";
import type { Purse } from "../limits/purse.ts";
import { leftIn } from "../limits/purse.ts";

/** Stands for the model of a summary that none has written. */
const NO_MODEL = "none";
const SUMMARY_TOKENS = 1_024;
const LEAST_SUMMARY_TOKENS = 64;

export type FitOptions = {
  readonly model: Model;
  readonly limitTokens: number;
  /** Tokens of system prompt and tools that no answer has measured yet; they come on top of the conversation. */
  readonly unmeasuredTokens: number;
};

/** `away`: the run's own model, which was to summarise, is away, and may be waited for as in a turn. Nothing was lost. */
export type Fitting = { readonly type: "fits" | "tooLarge" } | { readonly type: "away"; readonly error: ErrorValue };

type Fitted = Extract<Parameters<LiveRun["note"]>[0], { readonly type: "context.fitted" }>;

const FITS: Fitting = { type: "fits" };
const TOO_LARGE: Fitting = { type: "tooLarge" };

/** Clears, then summarises, until the request fits, or what must stay is too large alone. */
export const fitContext = async (run: LiveRun, { model, limitTokens, unmeasuredTokens }: FitOptions): Promise<Fitting> => {
  const { state, note } = run;
  const size = (): number => state.contextTokens + unmeasuredTokens;
  if (size() <= limitTokens) return FITS;
  const { cleared, afterTokens } = planClearing(state, size(), limitTokens);
  if (cleared.length > 0) note({ type: "context.fitted", cleared, beforeTokens: size(), afterTokens, limitTokens });
  while (size() > limitTokens) {
    const range = summaryRange(state);
    if (!range) return TOO_LARGE;
    const fitted = await foldAway(run, { model, limitTokens, unmeasuredTokens }, range);
    if (fitted.type === "away") return fitted;
    const isShorter = fitted.afterTokens < fitted.beforeTokens;
    // What was paid for is recorded, whether it helps or not.
    if (isShorter || fitted.summary?.model !== NO_MODEL) note(fitted);
    if (!isShorter) return TOO_LARGE;
    if (run.stopped.aborted) return FITS;
  }
  return FITS;
};

/** Below this there is nothing to be saved. */
const LEAST_COMPACTED_TOKENS = LEAST_SUMMARY_TOKENS * 4;

/**
 * Where it was asked for when the run was requested, what was said in the session before is summarised ahead of the first turn, whether it would fit or not.
 * Once that is recorded, one message stands in its place, so that it is not done again.
 */
export const compactEarlier = async (run: LiveRun, options: FitOptions): Promise<Fitting> => {
  const { state, note } = run;
  if (state.spec.compact !== true || state.measured || state.taskIndex < 2) return FITS;
  const range = summaryRange(state);
  if (range?.from !== 0 || range.tokens < LEAST_COMPACTED_TOKENS) return FITS;
  const fitted = await foldAway(run, options, range);
  if (fitted.type === "away") return fitted;
  // What had to be fitted into is nothing that the record could hold where there is no limit at all.
  note({ ...fitted, limitTokens: Math.min(fitted.limitTokens, fitted.beforeTokens) });
  return FITS;
};

type Away = Extract<Fitting, { readonly type: "away" }>;

/** A range of messages as one that summarises them; to be recorded. */
const foldAway = async (
  run: LiveRun,
  { model, limitTokens, unmeasuredTokens }: FitOptions,
  range: Range,
): Promise<Fitted | Away> => {
  await run.flush();
  const beforeTokens = run.state.contextTokens + unmeasuredTokens;
  const summary = await summarise(run, model, range.from, range.to, limitTokens);
  if ("type" in summary) return summary;
  return {
    type: "context.fitted",
    cleared: [],
    summary: { from: range.from, to: range.to, ...summary },
    beforeTokens,
    afterTokens: beforeTokens - range.tokens + estimateText(summary.text),
    limitTokens,
  };
};

export type Summary = { readonly text: string; readonly model: string; readonly usage: Usage; readonly costUsd: number | null };

/**
 * By the summary model if there is one, else by the run's own. Where neither can or may, the calls are listed instead, unless it is the run's own that is
 * away: without it no turn can be made either.
 */
const summarise = async (run: LiveRun, own: Model, from: number, to: number, limitTokens: number): Promise<Summary | Away> => {
  const { state, ports, purse, stopped } = run;
  const { summaryModel } = state.spec;
  const messages = state.messages.slice(from, to);
  try {
    const model = summaryModel === undefined ? own : await ports.model(summaryModel);
    const most = Math.min(limitTokens, leftIn(purse, "tokens").left / 2);
    const summary = await summariseMessages({ model, messages, limitTokens: most, purse }, stopped);
    if (summary) return { ...summary, text: `[summary of earlier work]\n${summary.text}` };
  } catch (thrown) {
    if (!(thrown instanceof RetinueError) && !stopped.aborted) throw thrown;
    if (summaryModel === undefined && thrown instanceof RetinueError && isAway(thrown.code) && mayWait(run))
      return { type: "away", error: toErrorValue(thrown) };
  }
  return { text: toBareSummary(messages), model: NO_MODEL, usage: NO_USAGE, costUsd: 0 };
};

/** Whether its host says what to do in an outage, and the run has time left to wait. */
const mayWait = ({ ports, stopped, watch, state }: LiveRun): boolean =>
  ports.outage !== undefined && !stopped.aborted && watch.activeMs() < (state.spec.limits.durationMs ?? Infinity);

export type SummaryRequest = {
  readonly model: Model;
  readonly messages: readonly Message[];
  readonly limitTokens: number;
  /** Pays for it. */
  readonly purse: Purse;
};

/** A conversation in a few lines, written by a model; null if it said nothing or there is no room to ask. */
export const summariseMessages = async (
  { model, messages, limitTokens, purse }: SummaryRequest,
  signal: AbortSignal,
): Promise<Summary | null> => {
  if (limitTokens < LEAST_SUMMARY_TOKENS * 4) return null;
  const transcript = toTranscript(messages, Math.floor(limitTokens * 0.8));
  const { content, usage, costUsd } = await askAside(
    {
      purse,
      model,
      request: { system: SUMMARY_SYSTEM, messages: [{ role: "user", content: [{ type: "text", text: transcript }] }] },
      requestTokens: estimateText(SUMMARY_SYSTEM) + estimateText(transcript),
      maxOutputTokens: Math.min(SUMMARY_TOKENS, Math.max(LEAST_SUMMARY_TOKENS, Math.floor(limitTokens / 8))),
    },
    signal,
  );
  const text = content
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("")
    .trim();
  return text === "" ? null : { text, model: model.id, usage, costUsd };
};
