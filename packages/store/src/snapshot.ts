/**
 * What a run had come to at some event, so that nobody has to fold all events before it again. Only ever a shortcut: it is no
 * part of the record, and a snapshot that is damaged or of another format is as good as none.
 */
import type { RunId, SessionId } from "@retinue/protocol";
import { hash } from "node:crypto";

export type Snapshot = {
  readonly sessionId: SessionId;
  readonly runId: RunId;
  /** The last event of the session that the state holds. */
  readonly seq: number;
  /** Names the shape of `state` and its version; whoever reads asks for theirs. */
  readonly format: string;
  readonly state: string;
};

/** Ties a state to the event that it was taken at, by that event's place in the chain. */
export const toSnapshotDigest = ({ seq, format, state }: Pick<Snapshot, "seq" | "format" | "state">, eventHash: string): string =>
  hash("sha256", JSON.stringify([seq, format, state, eventHash]));
