/** Events that were made up, as `retinue sessions export` would write the session that they are. */
import type { RecordedEvent, SessionId } from "@retinue/protocol";
import type { SessionExport } from "../read-side.ts";
import { rechain } from "./rechain.ts";

export const exportOf = (sessionId: SessionId, events: readonly RecordedEvent[]): SessionExport =>
  rechain(
    {
      format: "retinue-session",
      version: 1,
      // The rest of the row is made from the events when it is imported.
      session: { sessionId } as SessionExport["session"],
      events: [],
      messages: [],
      artifacts: [],
      damage: null,
    },
    events,
  );
