/** The sessions that something is at work on in this process. */
import type { RecordedEvent, SessionId } from "@retinue/protocol";
import type { ApprovalId, ProposedAct } from "@retinue/protocol";
import { likenessOf } from "@retinue/runtime";
import type { ActiveRun, Session } from "./active-run.ts";
import type { Ground } from "./ground.ts";

export const enterSession = ({ sessions }: Ground, sessionId: SessionId): Session => {
  let session = sessions.get(sessionId);
  if (!session) {
    session = { sessionId, followers: new Set(), runs: new Set(), allowed: new Set(), unwatch: null };
    sessions.set(sessionId, session);
  }
  return session;
};

/** Forgets the session when nothing of it is at work here any more. */
export const leaveSession = ({ sessions }: Ground, run: ActiveRun): void => {
  const { session } = run;
  session.runs.delete(run);
  if (session.runs.size > 0) return;
  session.unwatch?.();
  session.unwatch = null;
  if (session.followers.size === 0) sessions.delete(session.sessionId);
};

/** Kinds of acts that a record says were allowed for its session. */
export const allowedIn = (events: readonly RecordedEvent[]): ReadonlySet<string> => {
  const allowed = new Set<string>();
  const acts = new Map<ApprovalId, ProposedAct>();
  for (const event of events) {
    if (event.type === "approval.requested") acts.set(event.approvalId, event.act);
    const act =
      event.type === "approval.answered" && event.allowed && event.scope === "session" ? acts.get(event.approvalId) : undefined;
    if (act) allowed.add(likenessOf(act));
  }
  return allowed;
};

export const allowInSession = (session: Session, kinds: Iterable<string>): void => {
  for (const kind of kinds) session.allowed.add(kind);
};
