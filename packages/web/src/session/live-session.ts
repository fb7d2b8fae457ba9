/**
 * A session that the page has open: the client's reducer, fed by a source of events, and told to whoever draws at most once a frame. The view
 * is written to in place; versions say which runs have to be drawn again.
 */
import { createSessionView, type SessionStore, type SessionView, type ViewSnapshot } from "@retinue/client";
import type { RetinueEvent, RunId, SessionId } from "@retinue/protocol";
import { createRunNames, type RunNames } from "./run-names.ts";
import { createSessionPieces, type PieceSource, type SessionPieces } from "./session-pieces.ts";

export type Connection = "connecting" | "live" | "lost" | "gone";

export type LiveSession = {
  /** Another one once the snapshot that the session is opened with has come. */
  readonly view: SessionView;
  /** Loads what the snapshot has left out. */
  readonly pieces: SessionPieces;
  readonly names: RunNames;
  /** Counts the times something has changed. */
  readonly version: () => number;
  readonly versionOf: (runId: RunId) => number;
  readonly connection: () => Connection;
  /** Everything that was recorded when the page connected has been read. */
  readonly isCaughtUp: () => boolean;
  readonly subscribe: (listener: () => void) => () => void;
  /** When the last event of a run came, by the clock of this page. */
  readonly heardAt: (runId: RunId) => number | undefined;
};

export type SessionFeed = {
  readonly session: LiveSession;
  /** What it is folded into from now on. Whoever applies events to it says so by `note` and `changed`. */
  readonly begin: (snapshot: ViewSnapshot) => SessionStore;
  readonly note: (event: RetinueEvent) => void;
  readonly changed: () => void;
  /** Applies events that come in order. */
  readonly take: (events: readonly RetinueEvent[]) => void;
  readonly setConnection: (connection: Connection) => void;
  /** The number of the last event that there was when the feed began. */
  readonly setHead: (seq: number) => void;
};

/** Pages that nobody sees get no frames; they are told now and then. */
const HIDDEN_MS = 250;

/** What arrives faster is drawn together: frames stay free for scrolling and typing. */
const LIVE_MS = 50;
/** While an old session is still read, what is drawn changes all the time and nobody reads it. */
const CATCHING_UP_MS = 400;

const afterPause = (draw: () => void, pauseMs: number): void => {
  if (document.hidden) setTimeout(draw, HIDDEN_MS);
  else if (pauseMs <= 0) requestAnimationFrame(draw);
  else setTimeout(() => requestAnimationFrame(draw), pauseMs);
};

/** A session without a source of pieces is folded from its first event on, and has all of them. */
export const createLiveSession = (sessionId: SessionId, source?: PieceSource): SessionFeed => {
  let store = createSessionView(sessionId, { keepsLog: false });
  const names = createRunNames();
  const listeners = new Set<() => void>();
  const versions = new Map<RunId, number>();
  const heard = new Map<RunId, number>();
  let isGlance = false;
  let version = 0;
  let isPlanned = false;
  let toldAt = Number.NEGATIVE_INFINITY;
  let connection: Connection = "connecting";
  let head = Number.POSITIVE_INFINITY;

  const tell = (): void => {
    isPlanned = false;
    toldAt = performance.now();
    for (const runId of store.takeChanged()) versions.set(runId, (versions.get(runId) ?? 0) + 1);
    version += 1;
    for (const listener of listeners) listener();
  };
  const plan = (): void => {
    if (isPlanned) return;
    isPlanned = true;
    const isBehind = version > 0 && store.view.lastSeq < head;
    afterPause(tell, toldAt + (isBehind ? CATCHING_UP_MS : LIVE_MS) - performance.now());
  };

  const pieces = createSessionPieces({ source: () => (isGlance ? undefined : source), store: () => store, onLoaded: plan });

  const begin = (snapshot: ViewSnapshot): SessionStore => {
    store = createSessionView(sessionId, { keepsLog: false, snapshot });
    isGlance = snapshot.isFirstGlance === true;
    for (const { runId, agent, depth, requestedAt, updatedAt } of store.view.runs.values()) {
      if (requestedAt !== null) names.add(runId, agent, depth);
      if (updatedAt !== null) heard.set(runId, Date.parse(updatedAt));
    }
    if (!isGlance) head = snapshot.seq;
    for (const runId of store.view.runs.keys()) versions.set(runId, (versions.get(runId) ?? 0) + 1);
    plan();
    return store;
  };

  const note = (event: RetinueEvent): void => {
    if (event.type === "run.requested") names.add(event.runId, event.agent, event.depth);
    heard.set(event.runId, event.seq > head ? Date.now() : Date.parse(event.at));
  };

  return {
    session: {
      get view() {
        return store.view;
      },
      pieces,
      names,
      version: () => version,
      versionOf: (runId) => versions.get(runId) ?? 0,
      connection: () => connection,
      isCaughtUp: () => store.view.lastSeq >= head,
      heardAt: (runId) => heard.get(runId),
      subscribe: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    begin,
    note,
    changed: () => {
      pieces.retry();
      plan();
    },
    take: (events) => {
      for (const event of events) if (store.apply(event) === "applied") note(event);
      plan();
    },
    setConnection: (next) => {
      if (connection === next) return;
      connection = next;
      plan();
    },
    setHead: (seq) => {
      head = seq;
      plan();
    },
  };
};
