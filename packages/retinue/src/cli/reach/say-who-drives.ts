/** What is said after an input was recorded: which process takes it, or how to go on where none does. */
import type { SessionId } from "@retinue/protocol";
import type { Holder, ReadSide } from "@retinue/store";
import { shortId } from "../record/find-session.ts";

export const readHolder = async (sessions: ReadSide, sessionId: SessionId): Promise<Holder | undefined> =>
  (await sessions.holders([sessionId])).get(sessionId);

/** A process that waits for a parked run, as `retinue serve` does, holds nothing of it, so that it cannot be told whether there is one. */
export const sayWhoDrives = (sessionId: SessionId, holder: Holder | undefined): string =>
  holder
    ? `process ${holder.pid} on ${holder.host} takes it up`
    : `no process is at work on it now; a retinue serve of its folder continues it by itself, else retinue sessions resume ${shortId(sessionId)} does`;
