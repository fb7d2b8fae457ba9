/** Who waits for appends to which session. A watcher that throws is the host's to hear of, never the writer's. */
import type { SessionId } from "@retinue/protocol";

export type Watchers = {
  readonly watch: (sessionId: SessionId, wake: () => void) => () => void;
  readonly wake: (sessionId: SessionId) => void;
  readonly sessions: () => Iterable<SessionId>;
  readonly has: (sessionId: SessionId) => boolean;
  readonly size: () => number;
  readonly clear: () => void;
};

export const createWatchers = (): Watchers => {
  const watched = new Map<SessionId, Set<{ readonly wake: () => void }>>();
  return {
    watch: (sessionId, wake) => {
      const entry = { wake };
      let entries = watched.get(sessionId);
      if (!entries) watched.set(sessionId, (entries = new Set()));
      entries.add(entry);
      return () => {
        entries.delete(entry);
        if (entries.size === 0 && watched.get(sessionId) === entries) watched.delete(sessionId);
      };
    },
    wake: (sessionId) => {
      const entries = watched.get(sessionId);
      if (!entries) return;
      for (const entry of Array.from(entries)) {
        try {
          entry.wake();
        } catch (error) {
          process.nextTick(() => {
            throw error;
          });
        }
      }
    },
    sessions: () => watched.keys(),
    has: (sessionId) => watched.has(sessionId),
    size: () => watched.size,
    clear: () => watched.clear(),
  };
};
