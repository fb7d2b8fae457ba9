/**
 * The one loop. Every agent at every depth runs here: it asks the model, settles the calls of the answer, and goes on until the run has a
 * result, or waits for something outside of memory. Each event is shown after it was recorded; `runLoop` yields them and returns the result.
 * The loop knows nothing that is not in `state`, so that one started on the fold of a cut log goes on where that log ends.
 */
import type { RetinueEvent, RunResult, WaitingFor } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { createRunPurse, spentBy, workMs } from "../limits/allowance.ts";
import type { Purse } from "../limits/purse.ts";
import type { Stopwatch } from "../limits/stopwatch.ts";
import { createStopwatch } from "../limits/stopwatch.ts";
import { createRecorder } from "../record/recorder.ts";
import type { RunState } from "../record/run-state.ts";
import { acceptResult } from "./accept-result.ts";
import { createAsk, keepHandInBack } from "./ask-model.ts";
import { createConduct } from "./conduct.ts";
import type { Conduct } from "./parts.ts";
import { guardMessages, guardOutput, guardTask } from "./guard.ts";
import type { LiveRun } from "./live-run.ts";
import { createOutbox } from "./outbox.ts";
import type { Driven } from "./parked.ts";
import { LeftOpen } from "./parked.ts";
import type { Ports } from "./ports.ts";
import { isStuck } from "./repetition.ts";
import { cancelTurn, settleTurn } from "./settle-turn.ts";
import { createStopHooks } from "./stop-hooks.ts";
import type { Ending } from "./to-result.ts";
import { finishEnding, limitEnding, toResult } from "./to-result.ts";
import { TIME_IS_UP } from "./turn-deadline.ts";

export type LoopOptions = {
  readonly state: RunState;
  readonly ports: Ports;
  /** Aborted to cancel the run; with a `LeftOpen` as reason the loop stops where the record stands, and settles nothing. */
  readonly signal: AbortSignal;
  /** Of the run, inside its parent's; a run without one gets its own. */
  readonly purse?: Purse;
  /** Measures the run's working time; a run without one gets its own. */
  readonly watch?: Stopwatch;
  /** Of the lease under which this loop writes. */
  readonly epoch: number;
  readonly resumed: boolean;
};

const ABANDONED = new RetinueError("cancelled", "The run was abandoned.");

/** What the loop does next: the run has come to its end, it waits outside of memory, or it goes on. */
type Next = Ending | { readonly parkedOn: readonly WaitingFor[] } | null;

/** The loop itself. `send` is given each event at once. */
export const driveRun = async (
  {
    state,
    ports,
    signal,
    purse = createRunPurse(state.spec, null, spentBy(state)),
    watch = createStopwatch(ports.clock, state.used.activeMs),
    epoch,
    resumed,
  }: LoopOptions,
  send: (event: RetinueEvent) => void,
): Promise<Driven> => {
  const { durationMs } = state.spec.limits;
  const stop = new AbortController();
  let conduct: Conduct | null = null;
  const onCancel = (): void => stop.abort(signal.reason);
  const run: LiveRun = {
    ...createRecorder(state, ports, send),
    conduct: () => (conduct ??= createConduct(run)),
    state,
    ports,
    purse,
    watch,
    cancelled: signal,
    stopped: stop.signal,
    onStop: createStopHooks(stop.signal),
  };
  const ask = createAsk(run);
  if (signal.aborted) onCancel();
  else signal.addEventListener("abort", onCancel, { once: true });
  run.note({ type: "run.started", epoch, resumed });
  const takeBackDeadline = durationMs === undefined ? null : watch.at(workMs(durationMs), () => stop.abort(TIME_IS_UP));
  try {
    if (resumed) await keepHandInBack(run);
    await guardTask(run);
    for (;;) {
      const advancing = state.turn && !signal.aborted ? waitFor(run, await settleTurn(run)) : advance(run, ask);
      const next = advancing instanceof Promise ? await advancing : advancing;
      if (!next) continue;
      if ("status" in next) return { type: "settled", result: await settleRun(run, next) };
      run.note({ type: "run.parked", on: next.parkedOn, activeMs: watch.activeMs() });
      await run.flush();
      return { type: "parked", on: next.parkedOn };
    }
  } finally {
    takeBackDeadline?.();
    signal.removeEventListener("abort", onCancel);
    // What is still under way when the loop itself failed has nobody to answer to.
    if (!state.result && !state.parked) stop.abort(signal.aborted ? signal.reason : ABANDONED);
  }
};

/** One step of the loop where no call is open. A promise only where there is something to wait for, as in every step below. */
const advance = (run: LiveRun, ask: () => Promise<Ending | null>): Next | Promise<Next> => {
  const { state, cancelled } = run;
  if (cancelled.aborted) return cancel(run);
  if (finish(run) || endCircle(run)) return null;
  return hasMessages(state) ? hear(run, ask) : askOrEnd(run, ask);
};

/** Takes in what was said to the run; where a guardrail refuses it, the run goes on without. */
const hear = async (run: LiveRun, ask: () => Promise<Ending | null>): Promise<Next> =>
  (await takeMessages(run)) ? null : askOrEnd(run, ask);

const askOrEnd = (run: LiveRun, ask: () => Promise<Ending | null>): Promise<Next> => {
  const reached = endingOf(run.state);
  return reached ? endOrWait(run, reached) : ask();
};

/** Whether calls that wait are waited for here, or the run parks. */
const waitFor = (run: LiveRun, on: readonly WaitingFor[]): Next | Promise<Next> =>
  on.length === 0 || run.cancelled.aborted ? null : waitOrPark(run, on);

const waitOrPark = async (run: LiveRun, on: readonly WaitingFor[]): Promise<Next> => {
  await run.flush();
  return (await run.ports.wait?.(on, run.cancelled)) === "input" ? null : { parkedOn: on };
};

const settleRun = async (run: LiveRun, reached: Ending): Promise<RunResult> => {
  const { state, ports, watch, cancelled } = run;
  const ending = await guardOutput(run, reached);
  const stopping = ports.stopBelow?.();
  if (stopping) {
    await run.flush();
    await stopping;
  }
  throwIfLeft(cancelled);
  // What is written while something is closed is still brought back.
  const unclosed = await releaseFor(run);
  if (ports.bringBack) {
    // Waiting for others is none of the agent's work.
    watch.pause();
    for await (const body of ports.bringBack(ending.status, cancelled)) {
      run.note(body);
      await run.flush();
    }
    watch.resume();
  }
  const made = toResult(state, ending, watch.activeMs(), run.purse);
  const result = run.clean(unclosed.length === 0 ? made : { ...made, warnings: [...made.warnings, ...unclosed] });
  run.note({ type: "run.settled", result });
  await run.flush();
  return result;
};

/** Closing what tools hold open is none of the agent's work. It may take a while, in which the answer is on record already. */
const releaseFor = async ({ ports, watch, flush }: LiveRun): Promise<readonly string[]> => {
  const releasing = ports.release?.();
  if (!releasing) return [];
  watch.pause();
  await flush();
  const unclosed = await releasing;
  watch.resume();
  return unclosed;
};

/** Yields what happens in the run, and gives how its drive ended. Whoever stops listening before the end has stopped the run. */
export async function* runLoop(options: LoopOptions): AsyncGenerator<RetinueEvent, Driven> {
  const outbox = createOutbox<RetinueEvent>();
  const left = new AbortController();
  const { emit } = options.ports;
  const work = driveRun(
    {
      ...options,
      signal: AbortSignal.any([options.signal, left.signal]),
      ports: {
        ...options.ports,
        emit: (drafts) => {
          if (left.signal.aborted) throw ABANDONED;
          return emit(drafts);
        },
      },
    },
    outbox.put,
  ).finally(outbox.end);
  // Its failure is thrown where it is awaited, if anybody still waits.
  work.catch(() => undefined);
  try {
    while (!outbox.isEnded()) {
      for (const event of outbox.take()) yield event;
      if (!outbox.isEnded()) await outbox.changed();
    }
    return await work;
  } finally {
    left.abort(ABANDONED);
  }
}

/** Whether something was said to the run that it can still take notice of: one that hands in hears nothing more. */
const hasMessages = ({ limit, failure, finishing, inbox }: RunState): boolean =>
  !limit && !failure && !finishing && inbox.length > 0;

/** What was said to the run since it last looked becomes part of its conversation; false where a guardrail refuses it. */
const takeMessages = async (run: LiveRun): Promise<boolean> => {
  const messageIds = run.state.inbox.map(({ messageId }) => messageId);
  if (!(await guardMessages(run))) return false;
  run.note({ type: "message.delivered", messageIds });
  return true;
};

/** Tells the agent that it was asked to finish. */
const finish = ({ state, note }: LiveRun): boolean => {
  const { finishRequested, finishing, limit, failure, answered } = state;
  if (!finishRequested || finishing || limit || failure || answered) return false;
  note({ type: "run.finishing", ...(finishRequested.reason === undefined ? {} : { reason: finishRequested.reason }) });
  return true;
};

/** An agent that goes in circles though it was warned gets one last turn to hand in. */
const endCircle = ({ state, note }: LiveRun): boolean => {
  const { finishing, limit, failure, answered, recentCalls } = state;
  if (finishing || limit || failure || answered || !isStuck(recentCalls)) return false;
  note({ type: "run.finishing", stuck: true });
  return true;
};

/** The ending that the state has come to; but a run whose sub-agents are still at work in the background waits to hear from them. */
const endOrWait = async (run: LiveRun, ending: Ending): Promise<Next> => {
  const { state, ports, stopped } = run;
  if (ending.status !== "completed") return ending;
  while (state.inbox.length === 0 && !stopped.aborted && !state.finishRequested) {
    const on = (ports.background?.() ?? []).map((runId): WaitingFor => ({ type: "run", runId }));
    if (on.length === 0) break;
    await run.flush();
    // What was said meanwhile is not waited for.
    if (state.inbox.length > 0) break;
    if ((await ports.wait?.(on, stopped)) !== "input") return { parkedOn: on };
  }
  if (!stopped.aborted && state.inbox.length > 0) return null;
  throwIfLeft(run.cancelled);
  const acceptability = await acceptResult(run);
  switch (acceptability.type) {
    case "accepted":
      return ending;
    case "rejected":
      run.note(acceptability.rejection);
      return null;
    case "parked":
      return waitFor(run, acceptability.on);
    default:
      return acceptability satisfies never;
  }
};

/** How the run ends, if its state says that it does. */
const endingOf = (state: RunState): Ending | null => {
  if (state.failure) return { status: "failed", bailoutReason: "error", error: state.failure };
  if (state.limit && state.handedIn) return limitEnding(state);
  if (state.finishing && state.handedIn) return finishEnding(state);
  if (state.answered) return { status: "completed" };
  return null;
};

const throwIfLeft = (signal: AbortSignal): void => {
  if (signal.aborted && signal.reason instanceof LeftOpen) throw signal.reason;
};

const cancel = (run: LiveRun): Ending => {
  throwIfLeft(run.cancelled);
  cancelTurn(run);
  const { reason } = run.cancelled;
  const message = reason instanceof RetinueError ? reason.message : "The run was cancelled.";
  return { status: "cancelled", bailoutReason: "cancelled", error: { code: "cancelled", message } };
};
