/** The order in which runs that were started side by side are merged: that in which they were started, whichever of them is done first. */

export type MergeTurn = {
  /** Resolves when all that were started before have left; rejects when the signal aborts. */
  readonly turn: (signal: AbortSignal) => Promise<void>;
  /** Lets the next one go on. May be called more than once. */
  readonly leave: () => void;
};

export type MergeOrder = {
  /** Takes the next turn. Whoever takes one leaves it, whatever happens. */
  readonly join: () => MergeTurn;
};

export const createMergeOrder = (): MergeOrder => {
  let last: Promise<void> = Promise.resolve();
  return {
    join: () => {
      const before = last;
      const { promise, resolve } = Promise.withResolvers<void>();
      last = before.then(() => promise);
      return { turn: (signal) => unlessAborted(before, signal), leave: resolve };
    },
  };
};

const unlessAborted = async (waited: Promise<void>, signal: AbortSignal): Promise<void> => {
  signal.throwIfAborted();
  const stopped = Promise.withResolvers<never>();
  const onAbort = (): void => stopped.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([waited, stopped.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
};
