/**
 * What the server says on its sockets. A feed of a session carries events by sequence number: recorded ones all, in order and once; live ones
 * may be left out. The feed over all sessions carries rows as they are now, so that a repeat changes nothing.
 */
import type { RetinueEvent } from "./events.ts";
import type { SessionId } from "./ids.ts";

export type SessionFrame =
  /** The first frame: events follow after `afterSeq`. Where that is less than what was asked for, the client knows events that there are not, and begins anew. */
  | { readonly type: "hello"; readonly sessionId: SessionId; readonly afterSeq: number; readonly headSeq: number }
  | { readonly type: "events"; readonly events: readonly RetinueEvent[] }
  /** The session was deleted; nothing follows. */
  | { readonly type: "gone" }
  | { readonly type: "pong" };

/** `Session` and `Approval` are what the routes `listSessions` and `listApprovals` give. */
export type AllFrame<Session, Approval> =
  /** The sessions written to last, and all that waits for a person. */
  | {
      readonly type: "hello";
      readonly sessions: readonly Session[];
      readonly approvals: readonly Approval[];
    }
  | { readonly type: "session"; readonly session: Session }
  | { readonly type: "deleted"; readonly sessionId: SessionId }
  /** All that waits for a person now: acts for a yes or no, questions of agents for words. */
  | { readonly type: "approvals"; readonly approvals: readonly Approval[] }
  | { readonly type: "pong" };

/** All that a client may say. */
export type ClientFrame = { readonly type: "ping" };

/** Why the server closed a socket. After `tooSlow`, `stopping` and any other of the network a client connects again. */
export const FEED_CLOSE = {
  /** The client does not read; it connects again and goes on after the last number it has. */
  tooSlow: 4408,
  /** Too many or malformed frames. */
  misbehaved: 4400,
  /** The server stops. */
  stopping: 1001,
  /** The session is not there. */
  unknown: 4404,
} as const;
