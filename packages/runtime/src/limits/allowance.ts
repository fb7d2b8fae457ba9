/**
 * What a run may still do. Asked before each act, never after: an act that could break a limit is not begun. Tokens, cost and time
 * keep back what the hand-in turn needs, so that it too stays inside them.
 */
import type { Model } from "@retinue/model/contract";
import type { LimitName, RunSpec } from "@retinue/protocol";
import { toThinkingTokens } from "@retinue/protocol";
import type { Amounts, Purse, Spending, Tightest } from "./purse.ts";
import { createPurse, leftIn } from "./purse.ts";
import type { RunState } from "../record/run-state.ts";

export type Breach = { readonly limit: LimitName; readonly used: number; readonly max: number };

/** What a turn may write when neither an agent nor the catalogue says how much. */
const USUAL_OUTPUT = 4_096;
/** The part of what is left that one turn may take beyond the usual: those that run beside it find something, too. */
const SHARE = 4;
/** Requests are measured before they are made, and may be a little longer. */
const WINDOW_MARGIN = 0.95;
/** An answer shorter than this is not worth a call. */
const LEAST_OUTPUT = 64;
const HAND_IN_OUTPUT = 1_024;
const HAND_IN_MS = 15_000;

/** When the run stops working so that there is time left to hand in. */
export const workMs = (durationMs: number): number => durationMs - Math.min(HAND_IN_MS, durationMs / 5);

export type TurnAllowance =
  | {
      readonly type: "allowed";
      readonly maxOutputTokens: number | undefined;
      /** The limit of the purse that allows no more, where it is less than the agent and the model would write. */
      readonly cappedBy?: "tokens" | "costUsd";
      /** What the turn may use at most, to be reserved before it is made. */
      readonly most: Amounts;
    }
  | { readonly type: "breach"; readonly breach: Breach };

export type TurnQuestion = {
  readonly state: RunState;
  readonly purse: Purse;
  readonly model: Model;
  /** Tokens of the request that is about to be made. */
  readonly requestTokens: number;
  readonly activeMs: number;
  readonly handIn: boolean;
};

/** May the next model call be made, and how much may it write? Asked of every purse from the run's up. */
export const allowTurn = ({ state, purse, model, requestTokens, activeMs, handIn }: TurnQuestion): TurnAllowance => {
  const { limits } = state.spec;
  const { used } = state;
  if (!handIn && limits.iterations !== undefined && used.iterations >= limits.iterations)
    return breach("iterations", used.iterations, limits.iterations);
  const turnsLeft = leftIn(purse, "iterations");
  if (!handIn && turnsLeft.left < 1) return breach("iterations", turnsLeft.used, turnsLeft.max);
  if (limits.durationMs !== undefined && activeMs >= (handIn ? limits.durationMs : workMs(limits.durationMs)))
    return breach("durationMs", Math.round(activeMs), limits.durationMs);
  const wanted = wantedOutput(state.spec, model);
  const most = wanted ?? model.outputTokens ?? USUAL_OUTPUT;
  let output = handIn ? Math.min(most, HAND_IN_OUTPUT + thinkingRoom(state.spec, model)) : most;
  const asked = output;
  let cappedBy: "tokens" | "costUsd" | undefined;
  // A turn that is not the last must leave enough for one more request of this size, what it adds, and a hand-in.
  const turns = handIn ? 1 : 2;
  const tokens = leftIn(purse, "tokens");
  if (tokens.left < Infinity) {
    const kept = handIn ? 0 : handInOutput(tokens.max);
    const affordable = Math.floor((tokens.left - turns * requestTokens - kept) / turns);
    if (affordable < LEAST_OUTPUT) return breach("tokens", tokens.used, tokens.max);
    output = Math.min(output, handIn ? affordable : shareOf(affordable));
    if (output < asked) cappedBy = "tokens";
  }
  const cost = (read: number, written: number): number =>
    model.price({ input: read, output: written, cached: 0, reasoning: 0 }) ?? Infinity;
  const costLeft = leftIn(purse, "costUsd");
  if (costLeft.left < Infinity) {
    const kept = (written: number): number => (handIn ? 0 : cost(requestTokens + written, HAND_IN_OUTPUT));
    const before = output;
    if (!handIn && cost(requestTokens, output * SHARE) > costLeft.left)
      output = Math.max(
        Math.min(output, USUAL_OUTPUT),
        outputFor(costLeft.left / SHARE, output, (written) => cost(requestTokens, written)),
      );
    while (output >= LEAST_OUTPUT && cost(requestTokens, output) + kept(output) > costLeft.left) output = Math.floor(output / 2);
    if (output < before) cappedBy = "costUsd";
    if (output < LEAST_OUTPUT) return breach("costUsd", costLeft.used, costLeft.max);
  }
  const isCapped = handIn || tokens.left < Infinity || costLeft.left < Infinity;
  return {
    type: "allowed",
    maxOutputTokens: isCapped ? output : (wanted ?? roomInWindow(model, requestTokens)),
    ...(cappedBy === undefined || !isCapped ? {} : { cappedBy }),
    most: {
      iterations: handIn ? 0 : 1,
      tokens: requestTokens + (isCapped ? output : Math.min(output, wanted ?? USUAL_OUTPUT)),
      ...(costLeft.left < Infinity ? { costUsd: cost(requestTokens, output) } : {}),
    },
  };
};

/** What a turn may take of what is left: all where that is little, else a part of it. */
const shareOf = (affordable: number): number =>
  Math.min(affordable, Math.max(USUAL_OUTPUT, Math.floor(affordable / (SHARE / 2))));

/** Of `output`, three quarters of it, three quarters of those and so on the first that costs no more. */
const outputFor = (money: number, output: number, cost: (written: number) => number): number => {
  let fitting = output;
  while (fitting > 0 && cost(fitting) > money) fitting = Math.floor(fitting * 0.75);
  return fitting;
};

/** Thoughts count as output: whoever sets how long an answer may be does not mean them. */
const thinkingRoom = ({ thinking }: RunSpec, { thinks, outputTokens }: Model): number => {
  if (outputTokens === undefined) return 0;
  return toThinkingTokens(thinking ?? (thinks === true ? "medium" : "off"));
};

const wantedOutput = (spec: RunSpec, model: Model): number | undefined =>
  spec.maxOutputTokens === undefined
    ? undefined
    : Math.min(spec.maxOutputTokens + thinkingRoom(spec, model), Math.max(spec.maxOutputTokens, model.outputTokens ?? 0));

/** What the window leaves for an answer, where that is less than the model could write: more is refused. */
const roomInWindow = ({ contextWindow, outputTokens }: Model, requestTokens: number): number | undefined => {
  if (contextWindow === undefined || outputTokens === undefined) return undefined;
  const room = Math.floor(contextWindow * WINDOW_MARGIN) - requestTokens;
  return room < outputTokens ? Math.max(LEAST_OUTPUT, room) : undefined;
};

/** What the run needs to hand in after a turn that left its conversation at this size; nobody below may use it. */
export const handInAmounts = (model: Model, contextTokens: number): Amounts => ({
  tokens: contextTokens + HAND_IN_OUTPUT,
  costUsd: model.price({ input: contextTokens, output: HAND_IN_OUTPUT, cached: 0, reasoning: 0 }) ?? 0,
});

/** How many more tool calls may run, and by which limit. */
export const allowedCalls = ({ spec, used }: RunState, purse: Purse): Tightest => {
  const own = spec.limits.toolCalls;
  const tree = leftIn(purse, "toolCalls");
  return own === undefined || tree.left <= own - used.toolCalls
    ? tree
    : { left: own - used.toolCalls, used: used.toolCalls, max: own };
};

/** The purse of a run: tokens and cost count what is below it, and so do the limits that were set for the tree. */
export const createRunPurse = ({ limits, treeLimits }: RunSpec, parent: Purse | null, used: Spending): Purse =>
  createPurse(
    {
      ...(limits.tokens === undefined ? {} : { tokens: limits.tokens }),
      ...(limits.costUsd === undefined ? {} : { costUsd: limits.costUsd }),
      ...(treeLimits.iterations === undefined ? {} : { iterations: treeLimits.iterations }),
      ...(treeLimits.toolCalls === undefined ? {} : { toolCalls: treeLimits.toolCalls }),
    },
    parent,
    used,
  );

/** What a run has spent itself, as its record says. */
export const spentBy = ({ used }: RunState): Required<Spending> => ({
  iterations: used.iterations,
  toolCalls: used.toolCalls,
  tokens: used.usage.input + used.usage.output,
  costUsd: used.costUsd,
  usage: used.usage,
  unpriced: used.unpriced,
});

const handInOutput = (tokens: number): number => Math.min(HAND_IN_OUTPUT, Math.floor(tokens / 10));

const breach = (limit: LimitName, used: number, max: number): TurnAllowance => ({ type: "breach", breach: { limit, used, max } });
