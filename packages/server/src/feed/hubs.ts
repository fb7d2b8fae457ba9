/** All feeds of a server: one hub a session that somebody looks at, and one over all sessions. */
import type { SessionId } from "@retinue/protocol";
import { FEED_CLOSE } from "@retinue/protocol";
import type { Backend } from "../backend.ts";
import type { AllHub } from "./all-hub.ts";
import { createAllHub } from "./all-hub.ts";
import type { FeedLimits } from "./limits.ts";
import { createSessionHub, type SessionHub } from "./session-hub.ts";
import type { Sink } from "./sink.ts";

export type Hubs = {
  /** Undefined where there is no such session; otherwise what leaves it. */
  readonly joinSession: (sessionId: SessionId, sink: Sink, afterSeq: number) => Promise<(() => void) | undefined>;
  readonly joinAll: AllHub["join"];
  readonly deleted: (sessionId: SessionId) => void;
  readonly close: () => void;
  /** How many clients listen. */
  readonly size: () => number;
};

export const createHubs = ({ calls, feeds }: Backend, limits: FeedLimits): Hubs => {
  const hubs = new Map<SessionId, SessionHub>();
  const all = createAllHub({ calls, feeds, limits });

  const readHead = (sessionId: SessionId): ReturnType<typeof feeds.read> =>
    feeds.read(sessionId, { after: Number.MAX_SAFE_INTEGER, limit: 1 });

  const hubOf = async (sessionId: SessionId): Promise<SessionHub | undefined> => {
    const known = hubs.get(sessionId);
    if (known) return known;
    const page = await readHead(sessionId);
    if (page === undefined) return undefined;
    const made = hubs.get(sessionId);
    if (made) return made;
    const hub = createSessionHub({
      sessionId,
      feeds,
      limits,
      headSeq: page.headSeq,
      onEmpty: () => {
        if (hubs.get(sessionId) === hub) hubs.delete(sessionId);
      },
    });
    hubs.set(sessionId, hub);
    return hub;
  };

  return {
    joinSession: async (sessionId, sink, afterSeq) => {
      for (;;) {
        const hub = await hubOf(sessionId);
        if (hub === undefined) return undefined;
        // A client that has read the record itself may know more than the hub has heard of yet.
        const recordedSeq = afterSeq <= hub.headSeq() ? undefined : (await readHead(sessionId))?.headSeq;
        const leave = hub.join(sink, afterSeq, recordedSeq);
        // The last of the others may have left while it was looked for.
        if (leave) return leave;
      }
    },
    joinAll: all.join,
    deleted: (sessionId) => {
      hubs.get(sessionId)?.gone();
      all.deleted(sessionId);
    },
    close: () => {
      for (const hub of Array.from(hubs.values())) hub.close(FEED_CLOSE.stopping, "The server stops.");
      all.close(FEED_CLOSE.stopping, "The server stops.");
    },
    size: () => all.size() + [...hubs.values()].reduce((sum, hub) => sum + hub.size(), 0),
  };
};
