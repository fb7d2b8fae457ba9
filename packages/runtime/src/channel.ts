/** Brings what several workers say at the same time into one order that a generator can yield. */

export type Channel<T> = {
  readonly send: (value: T) => void;
  /** What was sent, as it comes, until `work` has settled. Throws what `work` threw. */
  readonly during: (work: Promise<unknown>) => AsyncGenerator<T, void>;
};

export const createChannel = <T>(): Channel<T> => {
  let waiting: T[] = [];
  let wake: (() => void) | null = null;
  const poke = (): void => {
    wake?.();
    wake = null;
  };
  return {
    send: (value) => {
      waiting.push(value);
      poke();
    },
    during: async function* (work) {
      let done = false;
      const settled = work.finally(() => {
        done = true;
        poke();
      });
      // The failure is thrown below, by awaiting the same promise.
      settled.catch(() => undefined);
      for (;;) {
        const batch = waiting;
        waiting = [];
        for (const value of batch) yield value;
        if (waiting.length > 0) continue;
        if (done) break;
        await new Promise<void>((resolve) => (wake = resolve));
      }
      await settled;
    },
  };
};
