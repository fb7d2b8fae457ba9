/** The two ways in which a drive ends without a result: the run waits outside of memory, or its process stops driving it. */
import type { RunResult, WaitingFor } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";

/** How a drive of a run ended. A parked run is in the log alone: whoever sees that what it waits for has come drives it on. */
export type Driven =
  | { readonly type: "settled"; readonly result: RunResult }
  | { readonly type: "parked"; readonly on: readonly WaitingFor[] };

/** Thrown by a tool whose work waits outside of memory. Its call stays open in the record and is made again when the run is driven on. */
export class Parked extends Error {
  override readonly name = "Parked";
  readonly on: readonly WaitingFor[];

  constructor(on: readonly WaitingFor[]) {
    super("The call waits outside of memory.");
    this.on = on;
  }
}

/** Whether something thrown says that work waits outside of memory: a tool that catches it throws it on. */
export const isParked = (thrown: unknown): thrown is Parked => thrown instanceof Parked;

/** The reason of a signal that makes the loop stop where its record stands. Nothing is settled; the run can be resumed. */
export class LeftOpen extends RetinueError {
  constructor(message: string, options: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super("run_left_open", message, options);
  }
}
