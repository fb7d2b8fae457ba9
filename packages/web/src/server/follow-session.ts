/** Feeds a live session from the server: everything that was recorded, then everything that happens, without a gap or a repeat. */
import type { FeedState } from "@retinue/client";
import type { SessionId } from "@retinue/protocol";
import { type Connection, createLiveSession, type LiveSession } from "../session/live-session.ts";
import { client } from "./call.ts";

export type FollowedSession = { readonly session: LiveSession; readonly close: () => void };

/** `closed` is told when the page itself lets go. */
export const toConnection = (state: FeedState, wasOpen: boolean): Connection =>
  state === "open" ? "live" : wasOpen ? "lost" : "connecting";

export const followSession = (sessionId: SessionId): FollowedSession => {
  const live = createLiveSession(sessionId);
  let wasOpen = false;
  const feed = client.followSession(sessionId, {
    store: live.store,
    onEvent: live.note,
    onChange: live.changed,
    onState: (state) => {
      live.setConnection(toConnection(state, wasOpen));
      if (state !== "open") return;
      wasOpen = true;
      live.setHead(feed.headSeq());
    },
    // The record was put back to an earlier state: what is drawn is of another time.
    onReset: () => location.reload(),
    onGone: () => live.setConnection("gone"),
  });
  return { session: live.session, close: feed.close };
};
