/** What is said after an input was recorded: which process takes it, or how to go on where none does. */
import type { SessionId } from "@retinue/protocol";
import type { Holder, ReadSide } from "@retinue/store";
import { shortId } from "../record/find-session.ts";

export const readHolder = async (sessions: ReadSide, sessionId: SessionId): Promise<Holder | undefined> =>
  (await sessions.holders([sessionId])).get(sessionId);

export const sayWhoDrives = (sessionId: SessionId, holder: Holder | undefined): string =>
  holder
    ? `process ${holder.pid} on ${holder.host} takes it up`
    : `no living process drives it; retinue sessions resume ${shortId(sessionId)} goes on`;
