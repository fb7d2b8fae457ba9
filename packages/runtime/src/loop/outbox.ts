/** Where a run puts its events, for a generator that yields them: nothing waits for who listens. */
export type Outbox<T> = {
  readonly put: (value: T) => void;
  /** What was put in since the last time. */
  readonly take: () => readonly T[];
  /** Nothing more will be put in. */
  readonly end: () => void;
  readonly isEnded: () => boolean;
  /** Settles when there may be more to take, or it has ended. */
  readonly changed: () => Promise<void>;
};

export const createOutbox = <T>(): Outbox<T> => {
  let waiting: T[] = [];
  let ended = false;
  let wake: (() => void) | null = null;
  const poke = (): void => {
    wake?.();
    wake = null;
  };
  return {
    put: (value) => {
      waiting.push(value);
      poke();
    },
    take: () => {
      const taken = waiting;
      waiting = [];
      return taken;
    },
    end: () => {
      ended = true;
      poke();
    },
    isEnded: () => ended && waiting.length === 0,
    changed: () =>
      new Promise((resolve) => {
        if (ended || waiting.length > 0) resolve();
        else wake = resolve;
      }),
  };
};
