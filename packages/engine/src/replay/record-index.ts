/** What a stretch of a record says about calls and ends, so that a replay finds it. */
import type { ApprovalId, CallId, EventOf, RecordedEvent } from "@retinue/protocol";
import { EXECUTE_PLAN } from "@retinue/runtime";

export type RecordIndex = {
  /** How often each call was started: one whose run below had parked is started again once that can go on. */
  readonly startedCalls: ReadonlyMap<CallId, number>;
  readonly settledCalls: ReadonlyMap<CallId, EventOf<"tool.settled">>;
  /** How many calls had settled before this one. */
  readonly order: ReadonlyMap<CallId, number>;
  /** The questions about a call, in their order: one is put again where what it is about has changed. */
  readonly approvals: ReadonlyMap<CallId, readonly EventOf<"approval.requested">[]>;
  readonly askedByLoop: ReadonlySet<ApprovalId>;
  readonly parked: (EventOf<"run.parked"> & RecordedEvent) | undefined;
  readonly settled: EventOf<"run.settled"> | undefined;
};

export const indexRecord = (stretch: readonly RecordedEvent[]): RecordIndex => {
  const of = <T extends RecordedEvent["type"]>(type: T): readonly EventOf<T>[] =>
    stretch.filter((event): event is EventOf<T> & RecordedEvent => event.type === type);
  const settled = of("tool.settled");
  return {
    startedCalls: new Map(
      Array.from(
        Map.groupBy(of("tool.started"), ({ callId }) => callId),
        ([callId, starts]) => [callId, starts.length],
      ),
    ),
    settledCalls: new Map(settled.map((event) => [event.callId, event])),
    order: new Map(settled.map(({ callId }, index) => [callId, index])),
    approvals: Map.groupBy(of("approval.requested"), ({ act }) => act.callId),
    askedByLoop: new Set(of("approval.requested").map(({ approvalId }) => approvalId)),
    parked: of("run.parked")[0],
    settled: of("run.settled")[0],
  };
};

/** What a call wrote, and not the loop: the summary that it tells a sub-agent, the parts of a plan, its questions, and how it goes. */
export const isOfCall = (event: RecordedEvent): boolean => {
  if (event.type === "tool.started" || event.type === "tool.settled") return event.aside === "plan" || event.aside === "summary";
  if (event.type === "approval.requested") return event.act.tool === EXECUTE_PLAN && event.act.callId.endsWith(".approval");
  return event.type.startsWith("plan.");
};

export const isPartOf = (callId: CallId, event: RecordedEvent): boolean => {
  const part = event.type === "approval.requested" ? event.act.callId : "callId" in event ? event.callId : "";
  return part === callId || part.startsWith(`${callId}.`);
};
