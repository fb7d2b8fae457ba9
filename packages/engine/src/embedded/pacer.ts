/** Lets a number of things run at the same time and the others wait, first come first served. */
export type Pacer = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

export const createPacer = (most: number): Pacer => {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work, signal) => {
    if (running >= most) {
      await new Promise<void>((resolve, reject) => {
        const leave = (): void => {
          waiting.splice(waiting.indexOf(enter), 1);
          reject(signal.reason);
        };
        const enter = (): void => {
          signal.removeEventListener("abort", leave);
          resolve();
        };
        signal.throwIfAborted();
        waiting.push(enter);
        signal.addEventListener("abort", leave, { once: true });
      });
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
};
