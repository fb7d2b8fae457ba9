/** What an append writes, worked out before anything is written: the same for every database. */
import type { EventDraft, InputDraft, RecordedEvent, RunId } from "@retinue/protocol";
import { isInput, RetinueError } from "@retinue/protocol";
import { CHAIN_START, toChainHash, toEventBody } from "./chain.ts";
import { MAX_SEQ, toEventKey } from "./event-key.ts";
import { EMPTY_MAP, withEntry } from "./persistent-map.ts";
import type { Operation } from "./message-operation.ts";
import type { OpenCall, RunProjection } from "./project.ts";
import { project } from "./project.ts";
import type { ApprovalOperation } from "./project-approval.ts";
import { projectApproval } from "./project-approval.ts";
import type { SessionRow } from "./project-session.ts";
import type { TurnOperation } from "./queued-turn.ts";
import { projectTurn } from "./queued-turn.ts";
import { projectSession } from "./project-session.ts";

export type PlannedEvent = {
  readonly id: number;
  readonly event: RecordedEvent;
  readonly body: string;
  readonly hash: string;
  /** On rows of `messages`. */
  readonly operations: readonly Operation[];
  /** On rows of `approvals`. */
  readonly approvals: readonly ApprovalOperation[];
  /** On rows of `queued_turns`. */
  readonly turn: TurnOperation | undefined;
};

export type AppendPlan = {
  readonly events: readonly PlannedEvent[];
  /** As it is afterwards. */
  readonly session: SessionRow;
  /** Of the runs that were written to, as they are afterwards. */
  readonly projections: ReadonlyMap<RunId, RunProjection>;
};

export type PlanOptions = {
  readonly session: SessionRow;
  readonly drafts: readonly EventDraft[];
  /** Of a run as it was before. */
  readonly projectionOf: (runId: RunId) => RunProjection | undefined;
  /** As much of a run as an input needs: it changes nothing of what the driver of the run has in mind. */
  readonly targetOf: (input: InputDraft) => RunProjection | undefined;
};

/** What an input needs of its run: the row of the run, and for an answer the row of the call that was asked about. */
export const toInputTarget = (input: InputDraft, messageId: number, callMessageId: number | undefined): RunProjection => ({
  messageId,
  step: null,
  calls:
    input.type === "approval.answered" && callMessageId !== undefined
      ? withEntry<OpenCall>(EMPTY_MAP, "", {
          id: callMessageId,
          startedAt: input.at,
          settled: false,
          approvalId: input.approvalId,
        })
      : EMPTY_MAP,
});

export const planAppend = ({ session: before, drafts, projectionOf, targetOf }: PlanOptions): AppendPlan => {
  if (before.headSeq + drafts.length > MAX_SEQ)
    throw new RetinueError("store_full", `${before.sessionId} holds ${before.headSeq} events and can hold no more.`);
  const events: PlannedEvent[] = [];
  const projections = new Map<RunId, RunProjection>();
  const current = (runId: RunId): RunProjection | undefined => projections.get(runId) ?? projectionOf(runId);
  let session = before;
  for (const draft of drafts) {
    const { runId, parentRunId } = draft;
    const isRequest = draft.type === "run.requested";
    const seq = session.headSeq + 1;
    const event: RecordedEvent = { ...draft, seq };
    const id = toEventKey(session.number, seq);
    const isTargeted = isInput(draft) && !projections.has(runId);
    const known = isRequest ? undefined : isTargeted ? targetOf(draft) : current(runId);
    const { operations, run } = project({
      event,
      sessionNumber: session.number,
      run: known,
      parent: isRequest && parentRunId !== null ? current(parentRunId) : undefined,
    });
    if (!isTargeted) projections.set(runId, run);
    const body = toEventBody(draft, seq);
    const hash = toChainHash(session.headHash === "" ? CHAIN_START : session.headHash, body);
    let opened = 0;
    for (const operation of operations) if (operation.type === "insert") opened += 1;
    session = projectSession({ event, previous: session, opened, hash });
    const approvals = projectApproval({ event, id, before: known, after: run });
    events.push({ id, event, body, hash, operations, approvals, turn: projectTurn(event) });
  }
  return { events, session, projections };
};

/** The projections of all runs of a session, from its events. */
export const foldProjections = (events: Iterable<RecordedEvent>, sessionNumber: number): Map<RunId, RunProjection> => {
  const folded = new Map<RunId, RunProjection>();
  for (const event of events) {
    const parent = event.parentRunId === null ? undefined : folded.get(event.parentRunId);
    folded.set(event.runId, project({ event, sessionNumber, run: folded.get(event.runId), parent }).run);
  }
  return folded;
};
