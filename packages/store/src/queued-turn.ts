/** A turn that waits for the end of those before it, as whoever could begin it or take it back sees it. */
import type { EventOf, InputSource, RecordedEvent, SessionId, TurnId, UserPart } from "@retinue/protocol";

export type QueuedTurn = {
  readonly sessionId: SessionId;
  readonly turnId: TurnId;
  /** Of its `turn.queued`. */
  readonly seq: number;
  readonly queuedAt: string;
  readonly task: readonly UserPart[];
  readonly source?: InputSource;
  /** The session's workspace. */
  readonly workspace: string;
};

export type QueueQuery = { readonly sessionId?: SessionId };

export const toQueuedTurn = (event: EventOf<"turn.queued">, workspace: string): QueuedTurn => ({
  sessionId: event.sessionId,
  turnId: event.turnId,
  seq: event.seq,
  queuedAt: event.at,
  task: event.task,
  ...(event.source === undefined ? {} : { source: event.source }),
  workspace,
});

/** What an event makes of the queue: a turn enters it, or leaves it because it begins or is taken back. */
export type TurnOperation = { readonly type: "open" | "close"; readonly turnId: TurnId };

export const projectTurn = (event: RecordedEvent): TurnOperation | undefined => {
  if (event.type === "turn.queued") return { type: "open", turnId: event.turnId };
  if (event.type === "turn.withdrawn") return { type: "close", turnId: event.turnId };
  if (event.type === "run.requested" && event.queuedTurn !== undefined) return { type: "close", turnId: event.queuedTurn };
  return undefined;
};
