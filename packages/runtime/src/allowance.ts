/**
 * What a run may still do. Asked before each act, never after: an act that could break a limit is not begun. Tokens, cost and time
 * keep back what the hand-in turn needs, so that it too stays inside them.
 */
import type { Model } from "@retinue/model/contract";
import type { LimitName } from "@retinue/protocol";
import type { RunState } from "./run-state.ts";

export type Breach = { readonly limit: LimitName; readonly used: number; readonly max: number };

/** What a turn may write when nothing says how much. */
const USUAL_OUTPUT = 4_096;
/** An answer shorter than this is not worth a call. */
const LEAST_OUTPUT = 64;
const HAND_IN_OUTPUT = 1_024;
const HAND_IN_MS = 15_000;

/** When the run stops working so that there is time left to hand in. */
export const workMs = (durationMs: number): number => durationMs - Math.min(HAND_IN_MS, durationMs / 5);

export type TurnAllowance =
  | { readonly type: "allowed"; readonly maxOutputTokens: number | undefined }
  | { readonly type: "breach"; readonly breach: Breach };

export type TurnQuestion = {
  readonly state: RunState;
  readonly model: Model;
  /** Tokens of the request that is about to be made. */
  readonly requestTokens: number;
  readonly activeMs: number;
  readonly handIn: boolean;
};

/** May the next model call be made, and how much may it write? */
export const allowTurn = ({ state, model, requestTokens, activeMs, handIn }: TurnQuestion): TurnAllowance => {
  const { limits } = state.spec;
  const { used } = state;
  if (!handIn && limits.iterations !== undefined && used.iterations >= limits.iterations)
    return breach("iterations", used.iterations, limits.iterations);
  if (limits.durationMs !== undefined && activeMs >= (handIn ? limits.durationMs : workMs(limits.durationMs)))
    return breach("durationMs", Math.round(activeMs), limits.durationMs);
  const wanted = state.spec.maxOutputTokens;
  let output = Math.min(wanted ?? USUAL_OUTPUT, handIn ? HAND_IN_OUTPUT : Infinity);
  let capped = false;
  // A turn that is not the last must leave enough for one more request of this size, what it adds, and a hand-in.
  const turns = handIn ? 1 : 2;
  if (limits.tokens !== undefined) {
    const spent = used.usage.input + used.usage.output;
    const kept = handIn ? 0 : handInOutput(limits.tokens);
    const affordable = Math.floor((limits.tokens - spent - turns * requestTokens - kept) / turns);
    if (affordable < LEAST_OUTPUT) return breach("tokens", spent, limits.tokens);
    capped = true;
    output = Math.min(output, affordable);
  }
  if (limits.costUsd !== undefined) {
    const cost = (tokens: number, written: number): number =>
      model.price({ input: tokens, output: written, cached: 0, reasoning: 0 }) ?? Infinity;
    const kept = (written: number): number => (handIn ? 0 : cost(requestTokens + written, HAND_IN_OUTPUT));
    while (output >= LEAST_OUTPUT && used.costUsd + cost(requestTokens, output) + kept(output) > limits.costUsd)
      output = Math.floor(output / 2);
    if (output < LEAST_OUTPUT) return breach("costUsd", used.costUsd, limits.costUsd);
    capped = true;
  }
  return { type: "allowed", maxOutputTokens: capped || handIn ? output : wanted };
};

/** How many more tool calls may run. */
export const allowedCalls = ({ spec, used }: RunState): number =>
  spec.limits.toolCalls === undefined ? Infinity : Math.max(0, spec.limits.toolCalls - used.toolCalls);

const handInOutput = (tokens: number): number => Math.min(HAND_IN_OUTPUT, Math.floor(tokens / 10));

const breach = (limit: LimitName, used: number, max: number): TurnAllowance => ({ type: "breach", breach: { limit, used, max } });
