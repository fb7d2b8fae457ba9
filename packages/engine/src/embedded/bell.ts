/** Wakes everybody who waits on a run: something was taken into its state, or became of a run below it. */
export type Rung = { waiting: (() => void)[] | null };

export const ring = (rung: Rung): void => {
  const woken = rung.waiting;
  rung.waiting = null;
  if (woken) for (const wake of woken) wake();
};

/** Resolves with the next ring, or when the signal is aborted. */
export const waitForRing = (rung: Rung, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const wake = (): void => {
      signal.removeEventListener("abort", wake);
      resolve();
    };
    (rung.waiting ??= []).push(wake);
    signal.addEventListener("abort", wake, { once: true });
  });
