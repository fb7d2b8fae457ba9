/** Signals that ask the command to end: the first cancels what runs, a second of any kind ends the process at once. */
import { RetinueError } from "@retinue/protocol";
import { EXIT } from "./exit-code.ts";

const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: 129 } as const;

export type Interrupts = {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Of the signal that came, if one did. */
  readonly exitCode: () => number | undefined;
  /** As if a signal had come from outside. */
  readonly raise: (name: keyof typeof SIGNALS) => void;
  /** Signals have their usual effect again. */
  readonly release: () => void;
};

export const listenForInterrupts = (onFirst: () => void): Interrupts => {
  const stop = new AbortController();
  let exitCode: number | undefined;
  const raise = (name: keyof typeof SIGNALS): void => {
    if (exitCode !== undefined) process.exit(exitCode);
    exitCode = SIGNALS[name];
    onFirst();
    stop.abort(new RetinueError("cancelled", "The run was interrupted."));
  };
  const handlers = (Object.keys(SIGNALS) as (keyof typeof SIGNALS)[]).map((name) => ({ name, handler: () => raise(name) }));
  for (const { name, handler } of handlers) process.on(name, handler);
  return {
    signal: stop.signal,
    exitCode: () => exitCode,
    raise,
    release: () => {
      for (const { name, handler } of handlers) process.off(name, handler);
    },
  };
};
