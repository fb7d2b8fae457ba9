/** What the log in memory holds of a run, kept with every append so that nothing of it has to be looked for. */
import type { ApprovalId, EventOf, InputEvent, RecordedEvent, RunId } from "@retinue/protocol";
import { isInput, isTurnInput } from "@retinue/protocol";
import type { KnownApproval } from "../admit.ts";
import type { Snapshot } from "../snapshot.ts";

export type MemoryApproval = { readonly event: EventOf<"approval.requested">; closed: KnownApproval["closed"] };

export type MemoryRun = {
  readonly request: EventOf<"run.requested">;
  epoch: number;
  heldSince: string | null;
  isSettled: boolean;
  readonly events: RecordedEvent[];
  readonly inputs: InputEvent[];
  /** Every question that the run asked. */
  readonly approvals: Map<ApprovalId, MemoryApproval>;
  snapshot?: Snapshot;
};

export const createMemoryRun = (request: EventOf<"run.requested">): MemoryRun => ({
  request,
  epoch: 0,
  heldSince: null,
  isSettled: false,
  events: [request],
  inputs: [],
  approvals: new Map(),
});

/** Takes in an event that the run was not begun with. */
export const addToRun = (run: MemoryRun, event: RecordedEvent): void => {
  run.events.push(event);
  if (isInput(event) && !isTurnInput(event)) run.inputs.push(event);
  if (event.type === "approval.requested") {
    closeCall(run, event.act.callId);
    run.approvals.set(event.approvalId, { event, closed: null });
  } else if (event.type === "approval.answered") {
    const approval = run.approvals.get(event.approvalId);
    if (approval) approval.closed ??= "answered";
  } else if (event.type === "tool.settled") closeCall(run, event.callId);
  else if (event.type === "run.parked") run.heldSince = null;
  else if (event.type === "run.settled") {
    for (const approval of run.approvals.values()) approval.closed ??= "settled";
    run.isSettled = true;
    run.heldSince = null;
  }
};

/** A call has one question at a time, and none once it has settled. */
const closeCall = ({ approvals }: MemoryRun, callId: string): void => {
  if (approvals.size === 0) return;
  for (const approval of approvals.values())
    if (approval.event.act.callId === callId && approval.closed === null) approval.closed = "settled";
};

/** The agents from the main agent down to a run. */
export const toAgentPath = (run: MemoryRun, runOf: (runId: RunId) => MemoryRun | undefined): readonly string[] => {
  const path: string[] = [];
  let at: MemoryRun | undefined = run;
  while (at !== undefined) {
    const { agent, parentRunId }: EventOf<"run.requested"> = at.request;
    path.unshift(agent);
    at = parentRunId === null ? undefined : runOf(parentRunId);
  }
  return path;
};
