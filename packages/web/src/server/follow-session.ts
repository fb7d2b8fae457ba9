/**
 * Feeds a live session from the server: it is opened with a snapshot, and everything that happens after that one is followed, without a gap or a repeat.
 * What the snapshot has left out is read when somebody looks at it. A large session that the server has to read first shows its latest run meanwhile.
 */
import { ApiError, type FeedState } from "@retinue/client";
import type { SessionId } from "@retinue/protocol";
import { type Connection, createLiveSession, type LiveSession } from "../session/live-session.ts";
import { client } from "./call.ts";

export type FollowedSession = { readonly session: LiveSession; readonly close: () => void };

/** Until a server that does not answer is asked again. */
const AGAIN_MS = 1_000;

/** `closed` is told when the page itself lets go. */
export const toConnection = (state: FeedState, wasOpen: boolean): Connection =>
  state === "open" ? "live" : wasOpen ? "lost" : "connecting";

export const followSession = (sessionId: SessionId): FollowedSession => {
  const live = createLiveSession(sessionId, {
    readRun: (runId, atLeast) => client.getRunPart({ params: { sessionId, runId }, query: { atLeast } }),
    readSteps: (runId, range, atLeast) => client.listSteps({ params: { sessionId, runId }, query: { ...range, atLeast } }),
  });
  let wasOpen = false;
  let close: (() => void) | undefined;
  let isClosed = false;

  const follow = (store: ReturnType<typeof live.begin>): void => {
    const feed = client.followSession(sessionId, {
      store,
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
    close = feed.close;
  };
  const open = async (): Promise<void> => {
    try {
      const params = { sessionId };
      const first = await client.getView({ params, query: { first: "true" } });
      if (isClosed) return;
      if (first.isFirstGlance === true) live.begin(first);
      const snapshot = first.isFirstGlance === true ? await client.getView({ params, query: {} }) : first;
      if (!isClosed) follow(live.begin(snapshot));
    } catch (thrown) {
      if (isClosed) return;
      if (thrown instanceof ApiError && thrown.status === 404) return live.setConnection("gone");
      const waiting = setTimeout(() => void open(), AGAIN_MS);
      close = () => clearTimeout(waiting);
    }
  };
  void open();
  return {
    session: live.session,
    close: () => {
      isClosed = true;
      close?.();
    },
  };
};
