/** Which drafts may be appended, decided in one place for every implementation of the log. */
import type { ApprovalId, EventDraft, InputDraft, RunId, RunIdentity, SessionId, TurnId } from "@retinue/protocol";
import { isInput, isTurnInput, RetinueError } from "@retinue/protocol";
import type { Lease } from "./contract.ts";

/** What a log knows of a run. */
export type KnownRun = { readonly sessionId: SessionId; readonly epoch: number };

/** What a log knows of a run that an input is for. */
export type InputTarget = { readonly identity: RunIdentity; readonly isSettled: boolean };

/** What a log knows of a question: whether somebody answered it, or its call was settled without an answer. */
export type KnownApproval = { readonly closed: "answered" | "settled" | null; readonly expiresAt: string | null };

/** What a log knows of the queue of a session. */
export type KnownQueue = {
  /** The turns that wait, the next one first. */
  readonly turns: readonly TurnId[];
  /** Main runs that have not settled. */
  readonly openRoots: readonly RunId[];
};

/** What the record says, read in the transaction that the drafts are to be written in. */
export type KnownRecord = {
  readonly run: (runId: RunId) => KnownRun | undefined;
  readonly target: (runId: RunId) => InputTarget | undefined;
  /** A question that this very run asked. */
  readonly approval: (runId: RunId, approvalId: ApprovalId) => KnownApproval | undefined;
  /** Asked only for drafts that `concernsQueue`. */
  readonly queue: (sessionId: SessionId) => KnownQueue;
};

/** Whether a draft can only be judged by who knows the queue of its session. */
export const concernsQueue = (draft: EventDraft): boolean =>
  isTurnInput(draft) || (draft.type === "run.requested" && draft.queuedTurn !== undefined);

export type Admission = {
  /**
   * Throws unless the drafts may be appended: one session for all of them, each run requested exactly once and first, inputs
   * for a run that is open, and a lease that still holds for everything else. Gives the session they belong to.
   */
  readonly admit: (drafts: readonly EventDraft[], lease: Lease | undefined) => SessionId;
};

/** What was admitted and is not in the record yet. */
type Noted = {
  readonly runs: Map<RunId, RunIdentity>;
  readonly settled: Set<RunId>;
  readonly approvals: Map<string, KnownApproval & { readonly runId: RunId; readonly callId: string | null }>;
  readonly queued: Set<TurnId>;
  readonly unqueued: Set<TurnId>;
};

const createNoted = (): Noted => ({
  runs: new Map(),
  settled: new Set(),
  approvals: new Map(),
  queued: new Set(),
  unqueued: new Set(),
});

const toApprovalKey = (runId: RunId, approvalId: ApprovalId): string => JSON.stringify([runId, approvalId]);

/** Admits appends one after the other; each sees what those before it will have written. */
export const createAdmission = (known: KnownRecord): Admission => {
  const earlier = createNoted();

  return {
    admit: (drafts, lease) => {
      const sessionId = drafts[0]?.sessionId;
      if (sessionId === undefined) throw new RetinueError("internal", "An empty append belongs to no session.");
      const noted = createNoted();
      const isRequested = (runId: RunId): boolean =>
        noted.runs.has(runId) || earlier.runs.has(runId) || known.run(runId) !== undefined;
      const runOf = (runId: RunId): KnownRun | undefined =>
        known.run(runId) ?? (earlier.runs.has(runId) ? { sessionId, epoch: 0 } : undefined);
      const targetOf = (runId: RunId): InputTarget | undefined => {
        const identity = noted.runs.get(runId) ?? earlier.runs.get(runId);
        const target = identity === undefined ? known.target(runId) : { identity, isSettled: false };
        if (target === undefined) return undefined;
        return noted.settled.has(runId) || earlier.settled.has(runId) ? { ...target, isSettled: true } : target;
      };
      const approvalOf = (runId: RunId, approvalId: ApprovalId): KnownApproval | undefined => {
        const key = toApprovalKey(runId, approvalId);
        return noted.approvals.get(key) ?? earlier.approvals.get(key) ?? known.approval(runId, approvalId);
      };
      const queueNow = (): KnownQueue => {
        const { turns, openRoots } = known.queue(sessionId);
        const notes = [earlier, noted];
        const requested = notes.flatMap(({ runs }) =>
          Array.from(runs.values()).filter(({ parentRunId }) => parentRunId === null),
        );
        return {
          turns: [...turns, ...notes.flatMap(({ queued }) => [...queued])].filter(
            (turnId) => !notes.some(({ unqueued }) => unqueued.has(turnId)),
          ),
          openRoots: [...openRoots, ...requested.map(({ runId }) => runId)].filter(
            (runId) => !notes.some(({ settled }) => settled.has(runId)),
          ),
        };
      };

      if (lease !== undefined) admitLease(lease, runOf(lease.runId));
      for (const draft of drafts) {
        admitSession(draft, sessionId);
        if (draft.type === "run.requested") {
          if (isRequested(draft.runId))
            throw new RetinueError("run_exists", `Run ${draft.runId} was requested before; nothing was written.`);
          if (draft.queuedTurn !== undefined) admitTurn(draft, draft.queuedTurn, queueNow());
        } else if (isInput(draft)) admitInput(draft, { targetOf, approvalOf, queueNow });
        else admitDriven(draft, lease, runOf(draft.runId));
        note(noted, earlier, draft);
      }
      for (const [runId, identity] of noted.runs) earlier.runs.set(runId, identity);
      for (const runId of noted.settled) earlier.settled.add(runId);
      for (const [key, approval] of noted.approvals) earlier.approvals.set(key, approval);
      for (const turnId of noted.queued) earlier.queued.add(turnId);
      for (const turnId of noted.unqueued) earlier.unqueued.add(turnId);
      return sessionId;
    },
  };
};

/** Admits one append by itself. Nearly all are what a run's driver writes of it, and need no more than the run's epoch. */
export const admitAlone = (known: KnownRecord, drafts: readonly EventDraft[], lease: Lease | undefined): SessionId => {
  const sessionId = drafts[0]?.sessionId;
  if (sessionId === undefined || lease === undefined || !isDrivenAlone(drafts))
    return createAdmission(known).admit(drafts, lease);
  const run = known.run(lease.runId);
  admitLease(lease, run);
  for (const draft of drafts) {
    admitSession(draft, sessionId);
    admitDriven(draft, lease, run);
  }
  return sessionId;
};

const isDrivenAlone = (drafts: readonly EventDraft[]): boolean => {
  for (const draft of drafts) if (draft.type === "run.requested" || isInput(draft)) return false;
  return true;
};

const admitSession = (draft: EventDraft, sessionId: SessionId): void => {
  if (draft.sessionId !== sessionId)
    throw new RetinueError("internal", `One append holds events of ${sessionId} and of ${draft.sessionId}.`);
};

/** Keeps what a draft changes for the inputs after it. */
const note = (noted: Noted, earlier: Noted, draft: EventDraft): void => {
  const { runId } = draft;
  if (draft.type === "run.requested") {
    noted.runs.set(runId, draft);
    if (draft.queuedTurn !== undefined) noted.unqueued.add(draft.queuedTurn);
  } else if (draft.type === "turn.queued") noted.queued.add(draft.turnId);
  else if (draft.type === "turn.withdrawn") noted.unqueued.add(draft.turnId);
  else if (draft.type === "run.settled") noted.settled.add(runId);
  else if (draft.type === "approval.requested") {
    const { approvalId, expiresAt = null, act } = draft;
    noted.approvals.set(toApprovalKey(runId, approvalId), { closed: null, expiresAt, runId, callId: act.callId });
  } else if (draft.type === "approval.answered")
    noted.approvals.set(toApprovalKey(runId, draft.approvalId), { closed: "answered", expiresAt: null, runId, callId: null });
  else if (draft.type === "tool.settled")
    for (const approvals of [earlier.approvals, noted.approvals])
      for (const [key, approval] of approvals)
        if (approval.runId === runId && approval.callId === draft.callId && approval.closed === null)
          noted.approvals.set(key, { ...approval, closed: "settled" });
};

const admitLease = (lease: Lease, run: KnownRun | undefined): void => {
  if (run === undefined) throw unknownRun(lease.runId);
  if (run.epoch !== lease.epoch)
    throw new RetinueError(
      "lease_lost",
      `Run ${lease.runId} is driven under epoch ${run.epoch} now; what epoch ${lease.epoch} wanted to write was refused.`,
    );
};

/** What only the driver of a run may write. */
const admitDriven = (draft: EventDraft, lease: Lease | undefined, run: KnownRun | undefined): void => {
  if (lease === undefined)
    throw new RetinueError("internal", `A ${draft.type} of ${draft.runId} was to be appended without a lease.`);
  if (draft.runId !== lease.runId)
    throw new RetinueError("internal", `The lease of ${lease.runId} cannot write a ${draft.type} of ${draft.runId}.`);
  if (run?.sessionId !== draft.sessionId)
    throw new RetinueError("internal", `Run ${draft.runId} does not belong to ${draft.sessionId}.`);
};

const IDENTITY = ["sessionId", "runId", "parentRunId", "depth", "agent"] as const satisfies readonly (keyof RunIdentity)[];

type InputKnowledge = {
  readonly targetOf: KnownRecord["target"];
  readonly approvalOf: KnownRecord["approval"];
  readonly queueNow: () => KnownQueue;
};

/** A queued turn begins once, in its order, and when nothing of the session is at work. */
const admitTurn = ({ sessionId, parentRunId }: EventDraft, turnId: TurnId, { turns, openRoots }: KnownQueue): void => {
  if (parentRunId !== null) throw new RetinueError("internal", `A run below another was to begin the turn ${turnId}.`);
  if (turns[0] !== turnId)
    throw new RetinueError(
      "turn_taken",
      `The turn ${turnId} is not the next one in the queue of ${sessionId}; nothing was started.`,
    );
  if (openRoots.length > 0)
    throw new RetinueError("session_running", `A turn of ${sessionId} has not ended; the queued turn ${turnId} waits for it.`);
};

const admitTurnInput = (draft: InputDraft & { readonly turnId: TurnId }, { turns }: KnownQueue): void => {
  if (draft.type === "turn.withdrawn") {
    if (!turns.includes(draft.turnId))
      throw new RetinueError("message_unknown", "It does not wait any more: its turn has begun, or it was taken back.");
  } else if (draft.parentRunId !== null) throw new RetinueError("internal", "A turn is queued beside a main run.");
  else if (turns.includes(draft.turnId)) throw new RetinueError("turn_taken", `The turn ${draft.turnId} was queued before.`);
};

const admitInput = (draft: InputDraft, { targetOf, approvalOf, queueNow }: InputKnowledge): void => {
  const { runId } = draft;
  const target = targetOf(runId);
  if (target === undefined) throw unknownRun(runId);
  const wrong = IDENTITY.find((key) => draft[key] !== target.identity[key]);
  if (wrong !== undefined)
    throw new RetinueError("internal", `A ${draft.type} names another ${wrong} than run ${runId} was requested with.`);
  if (isTurnInput(draft)) return admitTurnInput(draft, queueNow());
  if (target.isSettled) throw new RetinueError("run_settled", `Run ${runId} has ended; nothing was written to it.`);
  if (draft.type !== "approval.answered") return;

  const { approvalId } = draft;
  const approval = approvalOf(runId, approvalId);
  if (approval === undefined) throw new RetinueError("approval_unknown", `Run ${runId} asked no question ${approvalId}.`);
  if (approval.closed === "answered")
    throw new RetinueError("approval_answered", `Question ${approvalId} was answered before; nothing was written.`);
  if (approval.closed === "settled")
    throw new RetinueError("approval_expired", `The call that question ${approvalId} is about was settled without an answer.`);
  // That its time is over is itself an answer, and anybody who notices may give it.
  if (draft.source?.via === "rule" && !draft.allowed) return;
  if (approval.expiresAt !== null && Date.parse(draft.at) > Date.parse(approval.expiresAt))
    throw new RetinueError("approval_expired", `Question ${approvalId} could be answered until ${approval.expiresAt}.`);
};

export const unknownRun = (runId: RunId): RetinueError => new RetinueError("run_unknown", `No run ${runId} was ever requested.`);

/** The number to read after: whatever a caller sends, a whole number that is not negative. */
export const toAfterSeq = (afterSeq: number | undefined): number =>
  afterSeq === undefined || Number.isNaN(afterSeq) ? 0 : Math.min(Math.max(0, Math.trunc(afterSeq)), Number.MAX_SAFE_INTEGER);
