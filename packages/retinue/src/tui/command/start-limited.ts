/** Starts runs a few at a time, in order; the next begins when one has ended, however it ended. */
import type { RunHandle } from "@retinue/engine";

export const startLimited = async (starts: readonly (() => Promise<RunHandle>)[], most: number): Promise<void> => {
  const waiting = [...starts];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const run = await next();
      await run.result.catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(most, starts.length)) }, work));
};
