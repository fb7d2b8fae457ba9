/** The session of an address: followed while it is shown, and kept for a while after, so that going back is instant. */
import type { SessionId } from "@retinue/protocol";
import { useEffect, useState } from "react";
import { type FollowedSession, followSession } from "../server/follow-session.ts";
import type { LiveSession } from "./live-session.ts";

/** Sessions that were left last stay connected: so many. */
const KEPT = 2;

const followed = new Map<SessionId, FollowedSession>();

const open = (sessionId: SessionId): FollowedSession => {
  const known = followed.get(sessionId);
  const now = known === undefined || known.session.connection() === "gone" ? followSession(sessionId) : known;
  // The one used last stands last.
  followed.delete(sessionId);
  followed.set(sessionId, now);
  for (const [id, old] of followed) {
    if (followed.size <= KEPT) break;
    old.close();
    followed.delete(id);
  }
  return now;
};

export const useSession = (sessionId: SessionId): LiveSession => {
  const [state, setState] = useState<{ readonly sessionId: SessionId; readonly session: LiveSession }>(() => ({
    sessionId,
    session: open(sessionId).session,
  }));
  useEffect(() => setState({ sessionId, session: open(sessionId).session }), [sessionId]);
  return state.sessionId === sessionId ? state.session : open(sessionId).session;
};
