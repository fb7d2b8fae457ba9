/** Lets a number of works run at once; the others wait in the order in which they came. */
export type Gate = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

export const createGate = (width: number): Gate => {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work, signal) => {
    if (running >= width) await waitForTurn(waiting, signal);
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  };
};

const waitForTurn = (waiting: (() => void)[], signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const take = (): void => {
      signal.removeEventListener("abort", leave);
      resolve();
    };
    const leave = (): void => {
      waiting.splice(waiting.indexOf(take), 1);
      reject(signal.reason);
    };
    signal.addEventListener("abort", leave, { once: true });
    waiting.push(take);
  });
