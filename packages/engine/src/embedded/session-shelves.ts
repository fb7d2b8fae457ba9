/**
 * What tools hold open for whole sessions. It stays open between the turns of a session, for a while; where a session waits outside of memory, or is left,
 * it is closed at once, since whoever goes on with the session may be another process.
 */
import type { SessionId } from "@retinue/protocol";
import type { AnyResource, Clock, OpenContext } from "@retinue/runtime";
import type { Shelf } from "./shelf.ts";
import { createShelf } from "./shelf.ts";

/** How long what a session holds open waits for its next turn. */
export const IDLE_MS = 10 * 60_000;

export type SessionShelves = {
  readonly take: (resource: AnyResource, context: Omit<OpenContext, "signal">) => Promise<unknown>;
  readonly has: (sessionId: SessionId) => boolean;
  /** The latest main run of the session has settled here: what is open waits for the next turn. */
  readonly rest: (sessionId: SessionId) => void;
  /** The session goes on elsewhere, or later. Undefined where nothing is open. */
  readonly leave: (sessionId: SessionId) => Promise<void> | undefined;
  readonly close: () => Promise<void>;
};

type Entry = { readonly shelf: Shelf; takeBack: (() => void) | null };

export type SessionShelvesOptions = { readonly clock: Clock; readonly told: ((problem: string) => void) | undefined };

export const createSessionShelves = ({ clock, told }: SessionShelvesOptions): SessionShelves => {
  const entries = new Map<SessionId, Entry>();
  /** What is being closed is waited for, also where its time was over. */
  const closing = new Set<Promise<void>>();

  const closeEntry = async (sessionId: SessionId, { shelf }: Entry): Promise<void> => {
    for (const warning of await shelf.close()) told?.(`${sessionId}: ${warning}`);
  };

  const leave = (sessionId: SessionId): Promise<void> | undefined => {
    const entry = entries.get(sessionId);
    if (!entry) return undefined;
    entries.delete(sessionId);
    entry.takeBack?.();
    const closed = closeEntry(sessionId, entry);
    closing.add(closed);
    return closed.finally(() => closing.delete(closed));
  };

  return {
    take: (resource, context) => {
      const { sessionId } = context;
      const entry = entries.get(sessionId) ?? { shelf: createShelf(clock), takeBack: null };
      entries.set(sessionId, entry);
      entry.takeBack?.();
      entry.takeBack = null;
      return entry.shelf.take(resource, context);
    },
    has: (sessionId) => entries.has(sessionId),
    rest: (sessionId) => {
      const entry = entries.get(sessionId);
      if (!entry) return;
      entry.takeBack?.();
      entry.takeBack = clock.after(IDLE_MS, () => void leave(sessionId));
    },
    leave,
    close: async () => {
      for (const sessionId of entries.keys()) void leave(sessionId);
      await Promise.all(closing);
    },
  };
};
