/** Settles the calls of the latest answer: harmless ones side by side, the others one after the other, in the order of the answer. */
import type { ToolCallPart, WaitingFor } from "@retinue/protocol";
import { allowedCalls } from "../limits/allowance.ts";
import type { Amounts, Reservation } from "../limits/purse.ts";
import { reserve } from "../limits/purse.ts";
import type { OpenTurn } from "../record/run-state.ts";
import type { Answered } from "./answered.ts";
import { CANCELLED } from "./ask-human.ts";
import type { Prepared, Runnable } from "./call.ts";
import { prepareCall, toAnswer } from "./call.ts";
import { hookPrepared } from "./hook-call.ts";
import type { LiveRun } from "./live-run.ts";
import { runCall, settle, start } from "./run-call.ts";

/** How many harmless calls of one turn run at the same time. */
const PARALLEL_CALLS = 16;
/** How often the same call may stand in one answer. */
const MOST_TWINS = 2;

/** Gives what the calls wait for that are left open because they wait outside of memory; nothing that comes after them was run. */
export const settleTurn = async (run: LiveRun): Promise<readonly WaitingFor[]> => {
  const { turn } = run.state;
  if (!turn) return NOTHING;
  const twins = turn.calls.size > MOST_TWINS ? new Map<string, number>() : null;
  let group: Prepared[] = [];
  for (const call of turn.calls.values()) {
    const isTwin = twins !== null && isOneTooMany(twins, call);
    if (turn.settled.has(call.callId)) continue;
    const preparing = prepare(run, call, isTwin);
    const prepared = preparing instanceof Promise ? await preparing : preparing;
    if (isHarmless(prepared)) group.push(prepared);
    else {
      for (const calls of [group, [prepared]]) {
        const on = await runGroup(run, calls);
        if (on.length > 0) return on;
      }
      group = [];
    }
  }
  return runGroup(run, group);
};

const NOTHING: readonly WaitingFor[] = [];

/** Counts those that have settled, too: a resumed run decides as one that was never cut. */
const isOneTooMany = (twins: Map<string, number>, call: ToolCallPart): boolean => {
  const twin = `${call.tool}\0${call.arguments}`;
  const count = (twins.get(twin) ?? 0) + 1;
  twins.set(twin, count);
  return count > MOST_TWINS;
};

/** Settles what is still open of the latest answer without running it. */
export const cancelTurn = (run: LiveRun): void => {
  const { turn } = run.state;
  if (!turn) return;
  for (const call of turn.calls.values())
    if (!turn.settled.has(call.callId)) settle(run, call, isLost(turn, call) ? outcomeUnknown(call) : CANCELLED);
};

const prepare = (run: LiveRun, call: ToolCallPart, isTwin: boolean): Prepared | Promise<Prepared> => {
  const { state, ports } = run;
  if (state.turn && isLost(state.turn, call)) return { type: "answer", call, answer: outcomeUnknown(call) };
  if (isTwin) return notRun(call, "The same call stands several times in one answer; it was not run again.");
  const prepared = prepareCall(call, state, ports);
  return prepared instanceof Promise ? prepared.then((judged) => hookPrepared(run, judged)) : hookPrepared(run, prepared);
};

/** It was under way when an earlier process ended, and may not be made again. */
const isLost = ({ started }: OpenTurn, { callId }: ToolCallPart): boolean => started.get(callId)?.repeatable === false;

const outcomeUnknown = ({ tool }: ToolCallPart): Answered =>
  toAnswer("unknown", {
    code: "tool_outcome_unknown",
    message: `"${tool}" was under way when the process ended; whether it took effect is not known.`,
  });

const notRun = (call: ToolCallPart, message: string): Prepared => ({
  type: "answer",
  call,
  answer: toAnswer("error", { code: "tool_not_run", message }),
});

/** What only reads, or was answered already, can run beside anything else. */
const isHarmless = (prepared: Prepared): boolean => prepared.type === "answer" || prepared.tool.effect === "read";

const runGroup = async (run: LiveRun, group: readonly Prepared[]): Promise<readonly WaitingFor[]> => {
  const { state, note, flush } = run;
  const runnable: Runnable[] = [];
  const allowed = allowedCalls(state, run.purse);
  // What was under way at a crash was a call like any other, and is spent.
  let lost = 0;
  for (const { call } of group) if (state.turn && isLost(state.turn, call)) lost += 1;
  if (lost > 0) reserve(run.purse, {}).settle({ toolCalls: lost });
  for (const prepared of group) {
    if (prepared.type === "answer") settle(run, prepared.call, prepared.answer);
    else if (run.cancelled.aborted) settle(run, prepared.call, CANCELLED);
    else if (lost + runnable.length < allowed.left) runnable.push(prepared);
    else {
      const { max } = allowed;
      if (!state.limit) note({ type: "limit.reached", limit: "toolCalls", used: allowed.used + lost + runnable.length, max });
      const message = `Not run: this run may make ${max} tool calls, and has made them.`;
      settle(run, prepared.call, toAnswer("error", { code: "tool_not_run", message }));
    }
  }
  const [alone] = runnable;
  if (!alone) return NOTHING;
  // Before anything is waited for: whoever calls beside it must find them taken.
  const reservations = runnable.map(() => reserve(run.purse, ONE_CALL));
  for (const prepared of runnable) if (prepared.type === "run") start(run, prepared);
  // What has no effect need not wait until its start is on disk: nothing is lost if it is read again.
  if (runnable.every(hasNoEffect)) run.flushMeanwhile();
  else {
    const recording = flush();
    if (recording) await recording;
  }
  if (runnable.length > 1) return runBeside(run, runnable, reservations);
  const ran = await runCall(run, alone);
  reservations[0]?.settle(ran.type === "ran" ? ONE_CALL : NO_CALL);
  return ran.type === "parked" ? ran.on : NOTHING;
};

/** Runs calls at the same time, so many at once as there may be. */
const runBeside = async (
  run: LiveRun,
  runnable: readonly Runnable[],
  reservations: readonly Reservation[],
): Promise<readonly WaitingFor[]> => {
  let open = runnable.length;
  const waiting: WaitingFor[] = [];
  const runOne = async (prepared: Runnable, index: number): Promise<void> => {
    const ran = await runCall(run, prepared);
    reservations[index]?.settle(ran.type === "ran" ? ONE_CALL : NO_CALL);
    if (ran.type === "parked") waiting.push(...ran.on);
    open -= 1;
    // The last one is recorded together with what follows.
    const recording = open > 0 ? run.flush() : undefined;
    if (recording) await recording;
  };
  const selfPaced: Promise<void>[] = [];
  const queue: (() => Promise<void>)[] = [];
  for (const [index, prepared] of runnable.entries()) {
    if (prepared.tool.selfPaced) selfPaced.push(runOne(prepared, index));
    else queue.push(() => runOne(prepared, index));
  }
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) await next();
  };
  await Promise.all([...selfPaced, ...Array.from({ length: Math.min(PARALLEL_CALLS, queue.length) }, worker)]);
  return waiting;
};

const ONE_CALL: Amounts = { toolCalls: 1 };
const NO_CALL: Amounts = { toolCalls: 0 };

const hasNoEffect = ({ type, tool }: Runnable): boolean =>
  type === "run" && tool.effect === "read" && tool.repeatable && !tool.selfPaced;
