/** A run while the loop drives it: its state, the ways to change it, and what can stop it. */
import type { Ports } from "./ports.ts";
import type { Purse } from "../limits/purse.ts";
import type { Recorder } from "../record/recorder.ts";
import type { RunState } from "../record/run-state.ts";
import type { Conduct } from "./parts.ts";
import type { OnStop } from "./stop-hooks.ts";
import type { Stopwatch } from "../limits/stopwatch.ts";

export type LiveRun = Recorder & {
  readonly state: RunState;
  readonly ports: Ports;
  readonly purse: Purse;
  readonly watch: Stopwatch;
  /** Aborted when the run is cancelled. */
  readonly cancelled: AbortSignal;
  /** Aborted when the run is cancelled or its working time is up. */
  readonly stopped: AbortSignal;
  readonly onStop: OnStop;
  /** Made when it is first asked for: few calls have parts. */
  readonly conduct: () => Conduct;
};
