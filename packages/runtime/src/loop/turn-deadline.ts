/** When a turn has to end: with the run's working time, or with what was kept back of it for the hand-in. */
import { RetinueError } from "@retinue/protocol";
import type { LiveRun } from "./live-run.ts";

export const TIME_IS_UP = new RetinueError("limit_reached", "The run's time is up.");

const nothingToTakeBack = (): void => undefined;

type TurnDeadline = { readonly signal: AbortSignal; readonly takeBack: () => void };

/** A turn ends with the run's working time; a hand-in turn has what was kept back of the whole. */
export const createTurnDeadline = ({ state, watch, cancelled, stopped }: LiveRun): TurnDeadline => {
  const { durationMs } = state.spec.limits;
  if (!state.limit || durationMs === undefined) return { signal: state.limit ? cancelled : stopped, takeBack: nothingToTakeBack };
  const stop = new AbortController();
  const takeBack = watch.at(durationMs, () => stop.abort(TIME_IS_UP));
  return { signal: AbortSignal.any([cancelled, stop.signal]), takeBack };
};
