/** Turns the signals that ask a script to stop into one abort signal, so that what it started ends before it does. */
export const abortOnSignal = (): AbortSignal => {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    // A package that starts PostgreSQL would end this process at once, before it has told what it came to.
    process.removeAllListeners(signal);
    process.once(signal, () => controller.abort(signal));
  }
  return controller.signal;
};

/** Ends this process by the signal that aborted it, as whoever waits for it expects; returns where none did. */
export const endIfAborted = ({ aborted, reason }: AbortSignal): void => {
  if (aborted && typeof reason === "string") process.kill(process.pid, reason);
};
