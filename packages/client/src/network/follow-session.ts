/**
 * A session as it happens: events by sequence number, over as many connections as it takes, folded by the one reducer. Each recorded event is applied once
 * and in order; after a break the feed goes on after the last one.
 */
import type { RetinueEvent, SessionFrame, SessionId } from "@retinue/protocol";
import { FEED_PLACES } from "@retinue/protocol";
import type { SessionStore, SessionViewOptions } from "../create-session-view.ts";
import { createSessionView } from "../create-session-view.ts";
import type { FeedState, FeedSockets } from "./reconnecting-socket.ts";
import { openReconnecting } from "./reconnecting-socket.ts";

export type SessionFeedOptions = SessionViewOptions & {
  /** Begun with events that are known already, as from `listEvents`; a new one by default. */
  readonly store?: SessionStore;
  /** Called after frames were applied; `takeChanged` of the store tells which runs. */
  readonly onChange?: (feed: SessionFeed) => void;
  /** Each event that was applied, in order. */
  readonly onEvent?: (event: RetinueEvent) => void;
  readonly onState?: (state: FeedState) => void;
  /** The record no longer has what was known: a new view was begun. */
  readonly onReset?: (store: SessionStore) => void;
  /** The session was deleted, or there is none. */
  readonly onGone?: () => void;
};

export type SessionFeed = {
  /** Another one after a reset. */
  readonly store: () => SessionStore;
  readonly state: () => FeedState;
  /** The last event of the record that the server has told of. */
  readonly headSeq: () => number;
  readonly close: () => void;
};

export const followSession = (sockets: FeedSockets, sessionId: SessionId, options: SessionFeedOptions = {}): SessionFeed => {
  const begin = (): SessionStore => createSessionView(sessionId, options);
  let store = options.store ?? begin();
  let state: FeedState = "connecting";
  let headSeq = store.view.lastSeq;

  const onFrame = (frame: SessionFrame): void => {
    switch (frame.type) {
      case "hello":
        headSeq = frame.headSeq;
        if (frame.afterSeq < store.view.lastSeq) {
          store = begin();
          options.onReset?.(store);
        }
        if (state !== "open") {
          state = "open";
          options.onState?.(state);
        }
        return;
      case "events":
        for (const event of frame.events) {
          const outcome = store.apply(event);
          // A feed that skipped something is asked again for what comes after the last number.
          if (outcome === "gap") return socket.renew();
          headSeq = Math.max(headSeq, event.seq);
          if (outcome === "applied") options.onEvent?.(event);
        }
        options.onChange?.(feed);
        return;
      case "gone":
        options.onGone?.();
        return;
      case "pong":
        return;
      default:
        // A newer server may say more.
        return frame satisfies never;
    }
  };

  const feed: SessionFeed = {
    store: () => store,
    state: () => state,
    headSeq: () => headSeq,
    close: () => socket.close(),
  };
  const socket = openReconnecting({
    sockets,
    path: () => `${FEED_PLACES.session.replace(":sessionId", encodeURIComponent(sessionId))}?after=${store.view.lastSeq}`,
    // The server's own frames.
    onFrame: (frame) => onFrame(frame as SessionFrame),
    onState: (next, why) => {
      if (next === "open" || next === state) return;
      state = next;
      options.onState?.(next);
      if (next === "closed" && why !== undefined) options.onGone?.();
    },
  });
  return feed;
};
