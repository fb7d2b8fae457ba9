/** Many listeners to one signal at the cost of one: what a run has under way hears from here that it must stop. */

/** Calls back with the reason when it stops, at once if it has; the function returned takes it back. */
export type OnStop = (callback: (reason: unknown) => void) => () => void;

export const createStopHooks = (signal: AbortSignal): OnStop => {
  const callbacks = new Set<(reason: unknown) => void>();
  signal.addEventListener(
    "abort",
    () => {
      for (const callback of callbacks) callback(signal.reason);
      callbacks.clear();
    },
    { once: true },
  );
  return (callback) => {
    if (signal.aborted) callback(signal.reason);
    else callbacks.add(callback);
    return () => callbacks.delete(callback);
  };
};
