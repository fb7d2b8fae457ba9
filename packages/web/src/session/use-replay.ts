/** A session as it was at an earlier event: its recorded events are read once and folded up to the cursor. Nothing is asked of a model. */
import type { RecordedEvent, SessionId } from "@retinue/protocol";
import { useCallback, useEffect, useRef, useState } from "react";
import { call } from "../server/call.ts";
import { createLiveSession, type LiveSession, type SessionFeed } from "./live-session.ts";

export type Replay = {
  readonly session: LiveSession;
  readonly events: readonly RecordedEvent[];
  readonly seq: number;
  readonly isPlaying: boolean;
  readonly goTo: (seq: number) => void;
  readonly play: (isPlaying: boolean) => void;
};

const PAGE = 5_000;
/** Pauses of the record are shortened to this when it plays. */
const LONGEST_PAUSE_MS = 900;
const SHORTEST_PAUSE_MS = 30;

const readAll = async (sessionId: SessionId): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for (;;) {
    const page = await call("listEvents", { params: { sessionId }, query: { after: events.at(-1)?.seq ?? 0, limit: PAGE } });
    // The route's schema is that of recorded events.
    events.push(...(page.events as readonly RecordedEvent[]));
    if (page.events.length < PAGE) return events;
  }
};

/** Null while it is read, and where nothing is replayed. */
export const useReplay = (sessionId: SessionId, isOn: boolean): Replay | null => {
  const [events, setEvents] = useState<readonly RecordedEvent[] | null>(null);
  const [seq, setSeq] = useState(0);
  const [isPlaying, setPlaying] = useState(false);
  const folded = useRef<{ feed: SessionFeed; seq: number } | null>(null);

  useEffect(() => {
    if (!isOn) return setEvents(null);
    let isCurrent = true;
    folded.current = null;
    void readAll(sessionId).then((all) => {
      if (!isCurrent) return;
      setEvents(all);
      setSeq(all.length);
    });
    return () => {
      isCurrent = false;
    };
  }, [sessionId, isOn]);

  const foldTo = (target: number, all: readonly RecordedEvent[]): SessionFeed => {
    if (folded.current === null || folded.current.seq > target) {
      folded.current = { feed: createLiveSession(sessionId), seq: 0 };
      folded.current.feed.setConnection("live");
      folded.current.feed.setHead(0);
    }
    const { feed, seq: from } = folded.current;
    if (target > from) feed.take(all.slice(from, target));
    folded.current.seq = target;
    return feed;
  };

  useEffect(() => {
    if (!isPlaying || events === null) return undefined;
    if (seq >= events.length) return setPlaying(false);
    const [now, next] = [events[seq - 1], events[seq]];
    const pause = now === undefined || next === undefined ? 0 : Date.parse(next.at) - Date.parse(now.at);
    const timer = setTimeout(() => setSeq(seq + 1), Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, pause)));
    return () => clearTimeout(timer);
  }, [isPlaying, seq, events]);

  const goTo = useCallback((next: number) => {
    setPlaying(false);
    setSeq(next);
  }, []);
  const play = useCallback(
    (next: boolean) => {
      if (next && events !== null && seq >= events.length) setSeq(1);
      setPlaying(next);
    },
    [events, seq],
  );
  if (!isOn || events === null) return null;
  return { session: foldTo(seq, events).session, events, seq, isPlaying, goTo, play };
};
