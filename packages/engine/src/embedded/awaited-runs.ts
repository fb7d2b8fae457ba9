/** Who waits for main runs in this process, across their drives. Of a parked run it is kept only where somebody does wait. */
import type { RunId, RunResult } from "@retinue/protocol";
import type { RunOutcome } from "../contract.ts";
import type { Follower } from "../follower.ts";
import type { PreviousTurn } from "./previous-turn.ts";

/** What whoever started a main run waits for. */
export type Awaited = {
  readonly result: PromiseWithResolvers<RunResult>;
  readonly outcome: PromiseWithResolvers<RunOutcome>;
  readonly follower: Follower;
  readonly previous: PreviousTurn | null;
  /** Somebody asked for the result, listens to the events, or may still cancel by a signal. */
  isWanted: boolean;
  /** Stops listening to the caller's signal. */
  readonly detach: () => void;
};

export type AwaitedRuns = {
  readonly get: (runId: RunId) => Awaited | undefined;
  readonly add: (runId: RunId, one: Awaited) => void;
  /** Nobody waits for it: what was kept for it is let go. */
  readonly forget: (runId: RunId) => void;
  readonly keys: () => Iterable<RunId>;
  readonly settle: (runId: RunId, result: RunResult) => void;
  /** The drive that was waited for failed: `outcome` hears of it too. */
  readonly fail: (runId: RunId, thrown: unknown) => void;
  /** The run cannot be waited for any longer. */
  readonly reject: (runId: RunId, thrown: unknown) => void;
};

export const createAwaitedRuns = (): AwaitedRuns => {
  const awaited = new Map<RunId, Awaited>();
  const end = (runId: RunId, ended: (one: Awaited) => void): void => {
    const one = awaited.get(runId);
    if (!one) return;
    awaited.delete(runId);
    one.detach();
    ended(one);
    one.follower.end();
  };
  return {
    get: (runId) => awaited.get(runId),
    add: (runId, one) => void awaited.set(runId, one),
    forget: (runId) => void awaited.delete(runId),
    keys: () => awaited.keys(),
    settle: (runId, result) =>
      end(runId, (one) => {
        one.outcome.resolve({ type: "settled", result });
        one.result.resolve(result);
      }),
    fail: (runId, thrown) =>
      end(runId, (one) => {
        one.outcome.reject(thrown);
        one.result.reject(thrown);
      }),
    reject: (runId, thrown) => end(runId, ({ result }) => result.reject(thrown)),
  };
};
