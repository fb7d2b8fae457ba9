/** Calls as the record has them: allowed or not as they were, and answered in the order in which they were answered. */
import type { CallId, EventOf, ProposedAct, RecordedEvent, WaitingFor } from "@retinue/protocol";
import type { Answered, Judged, Judgement } from "@retinue/runtime";
import { apply, Parked } from "@retinue/runtime";
import { isPartOf } from "./record-index.ts";
import { giveFinishFor } from "./recorded-inputs.ts";
import type { Replay } from "./replay.ts";
import { advanceTo, cancelNow, EndOfRecord, isStartedAgain } from "./replay.ts";

export const judgeAgain = async (replay: Replay, { callId, tool }: Judged): Promise<Judgement> => {
  const { record } = replay;
  const settled = record.settledCalls.get(callId);
  const asked = actOfQuestion(replay, callId);
  if (asked) return { type: "ask", act: asked };
  if (record.startedCalls.has(callId)) return { type: "allow" };
  if (settled && giveFinishFor(replay, callId)) return { type: "ask", act: unasked(callId, tool) };
  if (settled?.outcome === "cancelled") cancelNow(replay);
  if (settled?.error && settled.outcome === "denied") return { type: "deny", error: settled.error };
  return { type: "allow" };
};

/** The question that stands, and each time that the call is judged again the next one. */
const actOfQuestion = ({ record, state, judgedCalls }: Replay, callId: CallId): ProposedAct | undefined => {
  const standing = judgedCalls.has(callId) ? undefined : state.pendingApprovals.get(callId);
  const questions = record.approvals.get(callId) ?? [];
  const judged = judgedCalls.get(callId) ?? 0;
  judgedCalls.set(callId, judged + (standing ? 0 : 1));
  return (standing ?? questions[judged] ?? questions.at(-1) ?? state.pendingApprovals.get(callId))?.act;
};

/** What nobody was asked about: the run had been asked to finish before. */
const unasked = (callId: CallId, { name, effect }: Judged["tool"]): ProposedAct => ({
  callId,
  tool: name,
  effect,
  input: null,
  paths: [],
  hosts: [],
});

/** Which run it was that a call waited for stands in the record of the call's run below. */
const SOME_RUN: WaitingFor = { type: "run", runId: "run_below" };

/** A call is answered when everything that was written before its answer is written again. */
export const executeAgain = async (replay: Replay, callId: CallId): Promise<Answered> => {
  const { record, state, isCancelled, executedCalls } = replay;
  executedCalls.set(callId, (executedCalls.get(callId) ?? 0) + 1);
  if (isStartedAgain(replay, callId)) throw new Parked([SOME_RUN]);
  const settled = record.settledCalls.get(callId);
  for (const event of takeOfCall(replay, callId, settled?.seq ?? Infinity)) apply(state, event);
  if (!settled && record.parked) throw new Parked(callsWaitFor(replay, record.parked));
  if (!settled) {
    await untilNothingMoves(replay);
    throw new EndOfRecord("the record ends while a tool works");
  }
  const turn = record.order.get(callId) ?? 0;
  while (replay.settledCount < turn) await new Promise<void>((resolve) => replay.wakeTools.push(resolve));
  advanceTo(replay, settled.activeMs);
  if (isCancelled && (settled.outcome === "cancelled" || turn === record.order.size - 1)) cancelNow(replay);
  const { outcome, content, error, files, tests, sandbox, spent, transferred } = settled;
  return {
    outcome,
    content,
    ...(error === undefined ? {} : { error }),
    ...(files === undefined ? {} : { files }),
    ...(tests === undefined ? {} : { tests }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(spent === undefined ? {} : { spent }),
    ...(transferred === undefined ? {} : { transferred }),
  };
};

const takeOfCall = ({ ofCalls }: Replay, callId: CallId, before: number): readonly RecordedEvent[] => {
  const taken = ofCalls.filter((event) => event.seq < before && isPartOf(callId, event));
  for (const event of taken) ofCalls.splice(ofCalls.indexOf(event), 1);
  return taken;
};

/** What the calls wait for that were left open, told by the first of them; questions of the loop's own are waited for by the loop. */
const callsWaitFor = (replay: Replay, { on }: EventOf<"run.parked">): readonly WaitingFor[] => {
  if (replay.hasParkedCalls) return [];
  replay.hasParkedCalls = true;
  return on.filter((one) => one.type === "run" || !replay.record.askedByLoop.has(one.approvalId));
};

/** Calls beside one that never ended may still have to be answered. Nothing here waits for the world: what moves, moves at once. */
const untilNothingMoves = async (replay: Replay): Promise<void> => {
  for (let before = -1; replay.written < replay.stretch.length && replay.written !== before;) {
    before = replay.written;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
};
