/**
 * Signals that ask the command to end. A person's Ctrl-C (SIGINT) cancels what runs, for good; SIGTERM, SIGHUP and a reader that went away
 * only end this process, and leave what runs open in the record. A second signal of any kind ends the process at once.
 */
import { RetinueError } from "@retinue/protocol";
import { EXIT } from "./exit-code.ts";

const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: EXIT.hungUp } as const;

export type SignalName = keyof typeof SIGNALS;

export type Interrupts = {
  /** Aborted by the first signal of any kind. */
  readonly signal: AbortSignal;
  /** Aborted when a person cancels: what runs is to be settled as cancelled. */
  readonly cancelled: AbortSignal;
  /** Aborted when the process is to go: what runs is to be left open. */
  readonly left: AbortSignal;
  /** Of the signal that came, if one did. */
  readonly exitCode: () => number | undefined;
  /** As if a signal had come from outside. */
  readonly raise: (name: SignalName) => void;
  /** Signals have their usual effect again. */
  readonly release: () => void;
};

export const listenForInterrupts = (onFirst: (name: SignalName) => void): Interrupts => {
  const cancel = new AbortController();
  const leave = new AbortController();
  let exitCode: number | undefined;
  const raise = (name: SignalName): void => {
    if (exitCode !== undefined) process.exit(exitCode);
    exitCode = SIGNALS[name];
    onFirst(name);
    if (name === "SIGINT") cancel.abort(new RetinueError("cancelled", "The run was interrupted."));
    else leave.abort(new RetinueError("run_left_open", `The process was ended by ${name}.`));
  };
  const handlers = (Object.keys(SIGNALS) as SignalName[]).map((name) => ({ name, handler: () => raise(name) }));
  for (const { name, handler } of handlers) process.on(name, handler);
  return {
    signal: AbortSignal.any([cancel.signal, leave.signal]),
    cancelled: cancel.signal,
    left: leave.signal,
    exitCode: () => exitCode,
    raise,
    release: () => {
      for (const { name, handler } of handlers) process.off(name, handler);
    },
  };
};
