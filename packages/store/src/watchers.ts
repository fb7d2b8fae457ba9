/** Who waits for appends to which session. A watcher that throws is the host's to hear of, never the writer's. */
import type { SessionId } from "@retinue/protocol";
import type { WatchedSessions } from "./contract.ts";

export type Watchers = {
  readonly watch: (sessionId: SessionId, wake: () => void) => () => void;
  /** Woken only where inputs were appended, or somebody else appended and may have. */
  readonly watchInputs: (sessionId: SessionId, wake: () => void) => () => void;
  readonly watchAny: (sessions: WatchedSessions, wake: (sessionId: SessionId) => void) => () => void;
  readonly wake: (sessionId: SessionId, mayHaveInputs: boolean) => void;
  /** Wakes only those who watch many sessions together. */
  readonly wakeAny: (sessionId: SessionId) => void;
  /** Those that are watched one by one. */
  readonly sessions: () => Iterable<SessionId>;
  /** Those that are watched together. */
  readonly together: () => Iterable<SessionId>;
  readonly has: (sessionId: SessionId) => boolean;
  readonly size: () => number;
  readonly clear: () => void;
};

export const createWatchers = (): Watchers => {
  const watched = new Map<SessionId, Set<{ readonly wake: () => void; readonly onlyInputs: boolean }>>();
  const groups = new Set<{ readonly sessions: WatchedSessions; readonly wake: (sessionId: SessionId) => void }>();
  const add = (sessionId: SessionId, wake: () => void, onlyInputs: boolean): (() => void) => {
    const entry = { wake, onlyInputs };
    let entries = watched.get(sessionId);
    if (!entries) watched.set(sessionId, (entries = new Set()));
    entries.add(entry);
    return () => {
      entries.delete(entry);
      if (entries.size === 0 && watched.get(sessionId) === entries) watched.delete(sessionId);
    };
  };
  const wakeAny = (sessionId: SessionId): void => {
    for (const { sessions, wake } of groups) if (sessions.has(sessionId)) call(() => wake(sessionId));
  };
  return {
    watch: (sessionId, wake) => add(sessionId, wake, false),
    watchInputs: (sessionId, wake) => add(sessionId, wake, true),
    watchAny: (sessions, wake) => {
      const group = { sessions, wake };
      groups.add(group);
      return () => void groups.delete(group);
    },
    wake: (sessionId, mayHaveInputs) => {
      if (groups.size > 0) wakeAny(sessionId);
      const entries = watched.get(sessionId);
      if (!entries) return;
      for (const entry of Array.from(entries)) if (!entry.onlyInputs || mayHaveInputs) call(entry.wake);
    },
    wakeAny,
    sessions: () => watched.keys(),
    together: () => [...groups].flatMap(({ sessions }) => [...sessions.keys()]),
    has: (sessionId) => watched.has(sessionId),
    size: () => watched.size + groups.size,
    clear: () => {
      watched.clear();
      groups.clear();
    },
  };
};

const call = (wake: () => void): void => {
  try {
    wake();
  } catch (error) {
    process.nextTick(() => {
      throw error;
    });
  }
};
