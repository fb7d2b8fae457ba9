/**
 * A purse that has what the record says was left. What other runs of the tree had spent and reserved when a limit was reached stands nowhere in the
 * run's own record; that it was reached does.
 */
import type { Purse, PurseAxis } from "@retinue/runtime";
import { NO_USAGE } from "@retinue/protocol";
import type { Replay } from "./replay.ts";
import { nextDecision } from "./replay.ts";

type Left = { readonly used: number; readonly max: number; readonly left: number };

export const createRecordedPurse = (replay: Replay): Purse => {
  const leftOf = (axis: PurseAxis): Left | undefined => (axis === "toolCalls" ? callsLeft(replay) : turnsLeft(replay, axis));
  return {
    parent: null,
    limits: axes((axis) => leftOf(axis)?.max as number),
    used: axes((axis) => leftOf(axis)?.used ?? 0),
    reserved: axes((axis) => {
      const limit = leftOf(axis);
      return limit ? limit.max - limit.used - limit.left : 0;
    }),
    kept: axes(() => 0),
    usage: NO_USAGE,
    unpriced: false,
  };
};

/** Each axis as it is when it is looked at; what the loop books there changes nothing. */
const axes = (read: (axis: PurseAxis) => number): Record<PurseAxis, number> =>
  Object.defineProperties(
    {} as Record<PurseAxis, number>,
    Object.fromEntries(
      (["iterations", "toolCalls", "tokens", "costUsd"] as const).map((axis) => [
        axis,
        { get: () => read(axis), set: () => undefined, enumerable: true },
      ]),
    ),
  );

/** Nothing where the record says that the limit was reached next, or that not even the hand-in could be paid for. */
const turnsLeft = (replay: Replay, axis: Exclude<PurseAxis, "toolCalls">): Left | undefined => {
  const { state } = replay;
  const next = nextDecision(replay);
  if (next?.type === "limit.reached" && next.limit === axis) return { used: next.used, max: next.max, left: -Infinity };
  const isUnpaid = next?.type === "run.settled" && !replay.isCancelled && (state.limit !== null || state.finishing);
  return isUnpaid && axis === "tokens" ? { used: 0, max: 0, left: -Infinity } : undefined;
};

/** As many calls of the turn as the record has run from here on. */
const callsLeft = (replay: Replay): Left | undefined => {
  const { state, record } = replay;
  const next = nextDecision(replay);
  const reached = state.limit ?? (next?.type === "limit.reached" ? next : null);
  if (reached?.limit !== "toolCalls" || !state.turn) return undefined;
  const { calls, started, settled } = state.turn;
  let left = 0;
  for (const callId of calls.keys()) {
    if (settled.has(callId)) continue;
    const isLost = started.get(callId)?.repeatable === false;
    const isRun = (record.startedCalls.has(callId) || record.approvals.has(callId)) && !started.has(callId);
    if (isLost || isRun) left += 1;
  }
  return { used: reached.used - left, max: reached.max, left };
};
