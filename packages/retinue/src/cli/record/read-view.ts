/** The view of a recorded session. Of one that is damaged, the view of what verifies. */
import { createSessionView, type SessionView } from "@retinue/client";
import { RetinueError, type SessionId } from "@retinue/protocol";
import type { Damage } from "@retinue/store";
import type { CommandRecord } from "./open-for-command.ts";

export type ReadView = { readonly view: SessionView; readonly damage: Damage | null };

export const readView = async ({ store, sessions }: CommandRecord, sessionId: SessionId): Promise<ReadView> => {
  const { view, apply } = createSessionView(sessionId, { keepsLog: false });
  try {
    for (const event of await store.read(sessionId)) apply(event);
    return { view, damage: null };
  } catch (thrown) {
    if (!(thrown instanceof RetinueError) || thrown.code !== "store_corrupt") throw thrown;
    const { events, damage } = await sessions.exportSession(sessionId);
    for (const event of events) apply(event);
    return { view, damage };
  }
};
