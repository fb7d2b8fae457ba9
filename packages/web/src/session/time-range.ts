/**
 * A span of time that a person selected, and what of a session lies within it. An act lies within where any part of it does; one that is not over
 * yet goes on.
 */
import type { CallView, MessageView, RunView, StepView } from "@retinue/client";

/** Milliseconds since 1970, both ends included. */
export type TimeRange = { readonly from: number; readonly to: number };

export const isWithin = (at: string | null | undefined, { from, to }: TimeRange): boolean => {
  if (at == null) return false;
  const time = Date.parse(at);
  return time >= from && time <= to;
};

type Span = { readonly from: string | null; readonly to: string | null };

export const isTimeSpanWithin = (span: Span, range: TimeRange): boolean => {
  if (span.from === null) return isWithin(span.to, range);
  return Date.parse(span.from) <= range.to && (span.to === null || Date.parse(span.to) >= range.from);
};

/** It was at work, or a run below it was: a tree keeps its trunk. */
export const isRunWithin = (run: RunView, range: TimeRange): boolean =>
  isTimeSpanWithin({ from: run.requestedAt ?? run.startedAt, to: run.endedAt }, range) ||
  run.children.some((child) => isRunWithin(child, range));

/** The model's turn alone, without the calls that it asked for. */
export const isStepWithin = ({ askedAt, endedAt }: StepView, range: TimeRange): boolean =>
  isTimeSpanWithin({ from: askedAt, to: endedAt }, range);

/** From the question whether it may, or its start; a call that had neither begins where its step told of it. */
export const isCallWithin = ({ approval, startedAt, settledAt }: CallView, range: TimeRange, step?: StepView | null): boolean =>
  isTimeSpanWithin({ from: approval?.requestedAt ?? startedAt ?? step?.endedAt ?? null, to: settledAt }, range);

/** It was received, delivered or taken back. */
export const isMessageWithin = ({ receivedAt, deliveredAt, withdrawnAt }: MessageView, range: TimeRange): boolean =>
  [receivedAt, deliveredAt, withdrawnAt].some((at) => isWithin(at, range));

/** The steps of which the turn, or a call, lies within; each with those of its calls that do. */
export const stepsWithin = (
  { steps }: Pick<RunView, "steps">,
  range: TimeRange,
): readonly { readonly step: StepView; readonly calls: readonly CallView[] }[] =>
  steps.flatMap((step) => {
    const calls = step.calls.filter((call) => isCallWithin(call, range, step));
    return calls.length > 0 || isStepWithin(step, range) ? [{ step, calls }] : [];
  });

export type SpentWithin = { readonly tokens: number; readonly costUsd: number; readonly isUnpriced: boolean };

/** What the answers that came within cost. The runs have to be loaded whole. */
export const spentWithin = (runs: Iterable<RunView>, range: TimeRange): SpentWithin => {
  let [tokens, costUsd, isUnpriced] = [0, 0, false];
  for (const { steps } of runs)
    for (const step of steps) {
      if (step.usage === null || !isWithin(step.endedAt, range)) continue;
      tokens += step.usage.input + step.usage.output;
      costUsd += step.costUsd ?? 0;
      isUnpriced ||= step.costUsd === null;
    }
  return { tokens, costUsd, isUnpriced };
};
