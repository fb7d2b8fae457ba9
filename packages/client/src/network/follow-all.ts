/** The list of sessions and the questions that wait, as they change. What is told is the state, so that after a break the whole is simply told again. */
import type { AllFrame, SessionId } from "@retinue/protocol";
import { FEED_PLACES } from "@retinue/protocol";
import type { RouteOutput } from "@retinue/protocol/routes";
import type { FeedState, FeedSockets } from "./reconnecting-socket.ts";
import { openReconnecting } from "./reconnecting-socket.ts";

export type SessionItem = RouteOutput<"getSession">;
export type ApprovalItem = RouteOutput<"listApprovals">["approvals"][number];

type Frame = AllFrame<SessionItem, ApprovalItem>;

export type AllFeedOptions = {
  /** The sessions written to last, after each connection; others may have changed too. */
  readonly onSessions?: (sessions: readonly SessionItem[]) => void;
  readonly onSession?: (session: SessionItem) => void;
  readonly onDeleted?: (sessionId: SessionId) => void;
  /** All acts that wait for a yes or no, and all that agents ask the user. */
  readonly onApprovals?: (approvals: readonly ApprovalItem[]) => void;
  readonly onState?: (state: FeedState) => void;
};

export type AllFeed = { readonly close: () => void };

export const followAll = (sockets: FeedSockets, options: AllFeedOptions): AllFeed => {
  const onFrame = (frame: Frame): void => {
    switch (frame.type) {
      case "hello":
        options.onState?.("open");
        options.onSessions?.(frame.sessions);
        options.onApprovals?.(frame.approvals);
        return;
      case "session":
        options.onSession?.(frame.session);
        return;
      case "deleted":
        options.onDeleted?.(frame.sessionId);
        return;
      case "approvals":
        options.onApprovals?.(frame.approvals);
        return;
      case "pong":
        return;
      default:
        // A newer server may say more.
        return frame satisfies never;
    }
  };
  const { close } = openReconnecting({
    sockets,
    path: () => FEED_PLACES.all,
    // The server's own frames.
    onFrame: (frame) => onFrame(frame as Frame),
    onState: (state) => {
      if (state !== "open") options.onState?.(state);
    },
  });
  return { close };
};
