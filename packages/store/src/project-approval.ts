/** From events to rows of `approvals`: which questions were asked, and which of them are still open. */
import type { ApprovalId, RecordedEvent, RunId } from "@retinue/protocol";
import { eachValue, getEntry } from "./persistent-map.ts";
import type { RunProjection } from "./project.ts";

export type ApprovalRow = {
  readonly runId: RunId;
  readonly approvalId: ApprovalId;
  /** The event that asked, by its key. */
  readonly eventId: number;
  /** The row of `messages` of the call that the question is about. */
  readonly messageId: number;
  readonly expiresAt: string | null;
  /** Null while the question is open. */
  readonly closed: "answered" | "settled" | null;
};

export type ApprovalOperation =
  | { readonly type: "open"; readonly row: ApprovalRow }
  /** Changes nothing where the question is closed already. */
  | {
      readonly type: "close";
      readonly runId: RunId;
      readonly approvalId: ApprovalId;
      readonly as: "answered" | "settled";
    };

export type ProjectApprovalOptions = {
  readonly event: RecordedEvent;
  /** The event's key. */
  readonly id: number;
  /** Of the event's run. */
  readonly before: RunProjection | undefined;
  readonly after: RunProjection;
};

const NOTHING: readonly ApprovalOperation[] = [];

export const projectApproval = ({ event, id, before, after }: ProjectApprovalOptions): readonly ApprovalOperation[] => {
  const { runId } = event;
  const close = (approvalId: ApprovalId, as: "answered" | "settled"): ApprovalOperation => ({
    type: "close",
    runId,
    approvalId,
    as,
  });
  if (event.type === "approval.requested") {
    const { approvalId, act, expiresAt = null } = event;
    const earlier = before && getEntry(before.calls, act.callId);
    const messageId = getEntry(after.calls, act.callId)?.id ?? after.messageId;
    const open: ApprovalOperation = {
      type: "open",
      row: { runId, approvalId, eventId: id, messageId, expiresAt, closed: null },
    };
    // A call has one question at a time: the later one takes the place of the earlier.
    return earlier?.approvalId === undefined || earlier.settled || earlier.approvalId === approvalId
      ? [open]
      : [close(earlier.approvalId, "settled"), open];
  }
  if (event.type === "approval.answered") return [close(event.approvalId, "answered")];
  if (event.type === "tool.settled") {
    const call = before && getEntry(before.calls, event.callId);
    return call?.approvalId === undefined || call.settled ? NOTHING : [close(call.approvalId, "settled")];
  }
  if (event.type !== "run.settled") return NOTHING;
  const closed: ApprovalOperation[] = [];
  for (const call of before ? eachValue(before.calls) : [])
    if (call.approvalId !== undefined && !call.settled) closed.push(close(call.approvalId, "settled"));
  return closed;
};
