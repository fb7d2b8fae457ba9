/** The view of events that are all there already. */
import type { RetinueEvent, SessionId } from "@retinue/protocol";
import { createSessionView } from "./create-session-view.ts";
import type { SessionView } from "./session-view.ts";

/** Events that are missing, as in an excerpt, are no reason to leave out what follows. */
export const foldSession = (sessionId: SessionId, events: Iterable<RetinueEvent>): SessionView => {
  const { view, apply } = createSessionView(sessionId, { isPartial: true });
  for (const event of events) apply(event);
  return view;
};
