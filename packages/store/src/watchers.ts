/** Who waits for appends to which session. A watcher that throws is the host's to hear of, never the writer's. */
import type { SessionId } from "@retinue/protocol";

export type Watchers = {
  readonly watch: (sessionId: SessionId, wake: () => void) => () => void;
  /** Woken only where inputs were appended, or somebody else appended and may have. */
  readonly watchInputs: (sessionId: SessionId, wake: () => void) => () => void;
  readonly wake: (sessionId: SessionId, mayHaveInputs: boolean) => void;
  readonly sessions: () => Iterable<SessionId>;
  readonly has: (sessionId: SessionId) => boolean;
  readonly size: () => number;
  readonly clear: () => void;
};

export const createWatchers = (): Watchers => {
  const watched = new Map<SessionId, Set<{ readonly wake: () => void; readonly onlyInputs: boolean }>>();
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
  return {
    watch: (sessionId, wake) => add(sessionId, wake, false),
    watchInputs: (sessionId, wake) => add(sessionId, wake, true),
    wake: (sessionId, mayHaveInputs) => {
      const entries = watched.get(sessionId);
      if (!entries) return;
      for (const entry of Array.from(entries)) {
        if (entry.onlyInputs && !mayHaveInputs) continue;
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
