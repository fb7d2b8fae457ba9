/** What is said to a run while it works, until it looks. */
import type { RunId, UserPart } from "@retinue/protocol";
import type { Ports } from "@retinue/runtime";

type Received = ReturnType<NonNullable<Ports["takeMessages"]>>[number];

export type Mailbox = {
  readonly put: (from: "human" | RunId, content: readonly UserPart[]) => void;
  readonly take: () => readonly Received[];
  /** Something will be put in here later; the run waits for it before it ends. */
  readonly expect: (work: Promise<unknown>) => void;
  readonly wait: (signal: AbortSignal) => Promise<void> | undefined;
};

export const createMailbox = (): Mailbox => {
  let letters: Received[] = [];
  let expected = 0;
  let wake: (() => void) | null = null;
  const poke = (): void => {
    wake?.();
    wake = null;
  };
  return {
    put: (from, content) => {
      letters.push({ type: "message.received", from, content });
      poke();
    },
    take: () => {
      const taken = letters;
      letters = [];
      return taken;
    },
    expect: (work) => {
      expected += 1;
      const done = async (): Promise<void> => {
        await Promise.allSettled([work]);
        expected -= 1;
        poke();
      };
      void done();
    },
    wait: (signal) => {
      if (letters.length > 0) return Promise.resolve();
      if (expected === 0 || signal.aborted) return undefined;
      return new Promise((resolve) => {
        const stop = (): void => {
          signal.removeEventListener("abort", stop);
          resolve();
        };
        signal.addEventListener("abort", stop, { once: true });
        wake = stop;
      });
    },
  };
};
