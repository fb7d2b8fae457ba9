/** How many events of a session lie within the selected time; null until they are counted. */
import { useEffect, useRef, useState } from "react";
import { call } from "../server/call.ts";
import { countEventsWithin, type ReadEventTime } from "./count-events.ts";
import type { LiveSession } from "./live-session.ts";
import { useSessionVersion } from "./session-context.ts";
import type { TimeRange } from "./time-range.ts";
import type { Replay } from "./use-replay.ts";

export const useEventsWithin = (session: LiveSession, range: TimeRange, replay: Replay | null): number | null => {
  useSessionVersion(session);
  const { sessionId, lastSeq, updatedAt } = session.view;
  const known = useRef(new Map<number, number>());
  const [counted, setCounted] = useState<{ readonly range: TimeRange; readonly events: number } | null>(null);
  const events = replay?.events;
  // What comes after the selected time does not change the count.
  const last = updatedAt !== null && Date.parse(updatedAt) > range.to ? -1 : lastSeq;
  useEffect(() => {
    let isCurrent = true;
    const readTime: ReadEventTime = async (seq) => {
      const before = known.current.get(seq);
      if (before !== undefined) return before;
      const event =
        events === undefined
          ? (await call("listEvents", { params: { sessionId }, query: { after: seq - 1, limit: 1 } })).events[0]
          : events[seq - 1];
      if (event === undefined) return Number.POSITIVE_INFINITY;
      const time = Date.parse(event.at);
      known.current.set(seq, time);
      return time;
    };
    countEventsWithin(range, session.view.lastSeq, readTime).then(
      (within) => isCurrent && setCounted({ range, events: within }),
      // The chip then tells no count; the next event asks again.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [session, sessionId, events, range, last]);
  return counted?.range === range ? counted.events : null;
};
