/**
 * Sessions folded by the one reducer, kept for whoever opens them next and brought up to date when they are asked for. How much is kept is bounded: the
 * session that was asked for longest ago goes first.
 */
import { createSessionView, type SessionStore, type SessionView } from "@retinue/client";
import type { SessionId } from "@retinue/protocol";
import { setImmediate } from "node:timers/promises";
import type { RetinueStore } from "../open-record.ts";
import { requireSession } from "./session-items.ts";

export type SessionFolds = {
  /** The view at the last event of the record, or at a later one than `atLeast` where that is enough. Throws `session_unknown`. */
  readonly viewOf: (sessionId: SessionId, atLeast?: number) => Promise<SessionView>;
  /** Folds a session that somebody is likely to open soon, if nobody has. */
  readonly foldAhead: (sessionId: SessionId) => void;
  /** How many events of the record the kept view is behind. */
  readonly isBehindBy: (sessionId: SessionId, headSeq: number) => number;
  readonly forget: (sessionId: SessionId) => void;
  /** Events that the kept views were folded from. */
  readonly size: () => number;
};

export type SessionFoldsOptions = {
  readonly store: Pick<RetinueStore, "read" | "readSide">;
  /** Of all views that are kept together; the one asked for last is kept whatever its size. */
  readonly mostEvents?: number;
};

type Fold = { readonly number: number; readonly store: SessionStore; work: Promise<void> };

const MOST_EVENTS = 600_000;
/** Others are served between one such page and the next. */
const PAGE_EVENTS = 500;

export const createSessionFolds = ({ store, mostEvents = MOST_EVENTS }: SessionFoldsOptions): SessionFolds => {
  const folds = new Map<SessionId, Fold>();

  const size = (): number => folds.values().reduce((sum, { store: { view } }) => sum + view.lastSeq, 0);

  /** The fold of a session, as the one that was used last. */
  const foldOf = async (sessionId: SessionId): Promise<Fold> => {
    const { number, headSeq } = await requireSession(store, sessionId);
    const known = folds.get(sessionId);
    // A record that was put back, or begun anew under the same id, is another one.
    const isSame = known !== undefined && known.number === number && known.store.view.lastSeq <= headSeq;
    const fold = isSame ? known : { number, store: createSessionView(sessionId, { keepsLog: false }), work: Promise.resolve() };
    folds.delete(sessionId);
    folds.set(sessionId, fold);
    return fold;
  };

  const advance = async (sessionId: SessionId, { store: { view, apply } }: Fold): Promise<void> => {
    for (;;) {
      const events = await store.read(sessionId, view.lastSeq, PAGE_EVENTS);
      for (const event of events) apply(event);
      if (events.length < PAGE_EVENTS) break;
      await setImmediate();
    }
    for (const old of folds.keys()) {
      if (folds.size === 1 || size() <= mostEvents) break;
      folds.delete(old);
    }
  };

  const viewOf = async (sessionId: SessionId, atLeast = Infinity): Promise<SessionView> => {
    const fold = await foldOf(sessionId);
    const { view } = fold.store;
    if (view.lastSeq >= atLeast) return view;
    // One after the other: two that read at once would both read all of it.
    fold.work = fold.work.catch(() => undefined).then(() => advance(sessionId, fold));
    await fold.work;
    return view;
  };

  return {
    viewOf,
    foldAhead: (sessionId) => {
      // What cannot be read is told to whoever opens it.
      if (!folds.has(sessionId)) void viewOf(sessionId).catch(() => undefined);
    },
    isBehindBy: (sessionId, headSeq) => headSeq - (folds.get(sessionId)?.store.view.lastSeq ?? 0),
    forget: (sessionId) => folds.delete(sessionId),
    size,
  };
};
