/** Long work that is done in steps: at once, or with pauses in which everything else goes on. */
import { setImmediate as nextTurn } from "node:timers/promises";

/** Yields wherever it may pause. */
export type Steps<T, Told = void> = Generator<Told, T>;

export const finishAtOnce = <T, Told>(steps: Steps<T, Told>): T => {
  for (;;) {
    const next = steps.next();
    if (next.done === true) return next.value;
  }
};

/** How long others wait at most, as far as the steps allow. */
const TURN_MS = 20;

export const finishWithPauses = async <T, Told>(steps: Steps<T, Told>, told?: (said: Told) => void): Promise<T> => {
  let began = performance.now();
  for (;;) {
    const next = steps.next();
    if (next.done === true) return next.value;
    told?.(next.value);
    if (performance.now() - began < TURN_MS) continue;
    await nextTurn();
    began = performance.now();
  }
};
