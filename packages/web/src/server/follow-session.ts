/** Feeds a live session from the server: everything that was recorded, then everything that happens, without a gap or a repeat. */
import { FEED_PLACES, type SessionFrame, type SessionId } from "@retinue/protocol";
import { createLiveSession, type LiveSession } from "../session/live-session.ts";
import { toAddress } from "./call.ts";
import { openSocket, socketAddress } from "./socket.ts";

export type FollowedSession = { readonly session: LiveSession; readonly close: () => void };

export const followSession = (sessionId: SessionId): FollowedSession => {
  const feed = createLiveSession(sessionId);
  const close = openSocket<SessionFrame>({
    // The view skips what it knows, so that a repeat after a cut changes nothing.
    address: () => socketAddress(toAddress(FEED_PLACES.session, { sessionId }, { after: feed.session.view.lastSeq })),
    onConnection: feed.setConnection,
    onFrame: (frame) => {
      switch (frame.type) {
        case "hello":
          return feed.setHead(frame.headSeq);
        case "events":
          return feed.take(frame.events);
        case "gone":
          return feed.setConnection("gone");
        case "pong":
          return undefined;
      }
    },
  });
  return { session: feed.session, close };
};
