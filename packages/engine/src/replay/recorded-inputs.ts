/**
 * What people and other runs said, as a replay gives it to the loop: where the loop took notice of it, which is not always where it stands in the
 * record. What it took no notice of is not given.
 */
import type { ApprovalId, CallId, InputEvent, RecordedEvent, WaitingFor } from "@retinue/protocol";
import { isInput } from "@retinue/protocol";
import { apply } from "@retinue/runtime";
import type { Replay } from "./replay.ts";

type Isolated = { readonly applied: readonly RecordedEvent[]; readonly unnoticed: readonly InputEvent[] };

/** Of what stands in a record before a stretch, what was said and not taken notice of until then. */
export const partUnnoticed = (before: readonly RecordedEvent[]): Isolated => {
  const delivered = new Set(before.flatMap((event) => (event.type === "message.delivered" ? event.messageIds : [])));
  const isFinishing = before.some(({ type }) => type === "run.finishing");
  const lastAnswer = before.findLastIndex(({ type }) => type === "approval.answered");
  const isUnnoticed = (event: RecordedEvent, index: number): boolean => {
    if (event.type === "message.received") return event.messageId !== undefined && !delivered.has(event.messageId);
    if (event.type === "message.withdrawn") return true;
    // What was answered after it counts as an answer that came too late.
    return event.type === "cancel.requested" && event.finish === true && !isFinishing && index > lastAnswer;
  };
  return {
    applied: before.filter((event, index) => !isUnnoticed(event, index)),
    unnoticed: before.filter(isUnnoticed).filter((event): event is RecordedEvent & InputEvent => isInput(event)),
  };
};

const give = ({ inputs, state }: Replay, isDue: (input: InputEvent) => boolean): boolean => {
  const due = inputs.filter(isDue);
  for (const input of due) {
    inputs.splice(inputs.indexOf(input), 1);
    apply(state, input);
  }
  return due.length > 0;
};

export const isFinish = (input: InputEvent): boolean => input.type === "cancel.requested" && input.finish === true;

/** What the loop took notice of next: messages where they were delivered or refused, a word to finish where it was told. */
export const giveNoticed = (replay: Replay): void => {
  const { stretch, written } = replay;
  let index = written;
  // These are noted and not written before it is looked at what was said.
  while (stretch[index]?.type === "tool.settled" || stretch[index]?.type === "run.started") index += 1;
  const next = stretch[index];
  const at = stretch[written]?.seq ?? Infinity;
  // Messages from before they were delivered entered the conversation where they stand.
  give(replay, (input) => input.type === "message.received" && input.messageId === undefined && input.seq < at);
  if (next?.type === "message.delivered")
    give(replay, (input) => input.type === "message.received" && next.messageIds.some((id) => id === input.messageId));
  if (next?.type === "guardrail.refused" && next.on === "input")
    give(replay, (input) => input.type === "message.received" && input.from === "human" && input.seq < next.seq);
  if (next?.type === "run.finishing") give(replay, isFinish);
};

/** A call that was not made because the run had been asked to finish. */
export const giveFinishFor = (replay: Replay, callId: CallId): boolean => {
  const settled = replay.record.settledCalls.get(callId);
  if (settled?.outcome !== "cancelled" || replay.isCancelled) return false;
  give(replay, isFinish);
  return replay.state.finishRequested !== null;
};

const callOf = ({ record, state }: Replay, approvalId: ApprovalId): CallId | undefined => {
  for (const [callId, asked] of record.approvals) if (asked.some((question) => question.approvalId === approvalId)) return callId;
  for (const [callId, asked] of state.pendingApprovals) if (asked.approvalId === approvalId) return callId;
  return undefined;
};

/** Gives the answers to these questions that something came of; an answer may also stand in the record of a run that parked before it heard. */
export const giveAnswers = (replay: Replay, on: readonly WaitingFor[]): boolean => {
  const { record } = replay;
  const heard = on.flatMap((one) => {
    if (one.type !== "approval") return [];
    const callId = callOf(replay, one.approvalId);
    const isHeard =
      callId !== undefined &&
      (record.startedCalls.has(callId) ||
        record.settledCalls.has(callId) ||
        // The question was put again, which only an answer brings about.
        (record.approvals.get(callId)?.at(-1) ?? one).approvalId !== one.approvalId);
    return isHeard || !record.parked ? [one.approvalId] : [];
  });
  const isAnswer = (input: InputEvent): boolean => input.type === "approval.answered" && heard.includes(input.approvalId);
  const answer = replay.inputs.find(isAnswer);
  if (!answer) return false;
  give(replay, (input) => isFinish(input) && input.seq < answer.seq);
  return give(replay, isAnswer);
};
