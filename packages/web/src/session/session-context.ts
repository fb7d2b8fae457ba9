/** The session that the parts of the page around a component show, what is folded in it, and what can be done to it. */
import type { RunView } from "@retinue/client";
import type { RunId } from "@retinue/protocol";
import { createContext, useContext, useSyncExternalStore } from "react";
import type { LiveSession } from "./live-session.ts";
import type { TimeRange } from "./time-range.ts";

export type SessionScene = {
  readonly session: LiveSession;
  /** Nothing can be done to a session that is replayed. */
  readonly isReplay: boolean;
  readonly selected: RunId | null;
  readonly select: (runId: RunId | null) => void;
  /** Where a time is selected, only what lies within it is shown. */
  readonly range: TimeRange | null;
  readonly setRange: (range: TimeRange | null) => void;
  readonly isOpen: (run: RunView) => boolean;
  readonly toggle: (run: RunView) => void;
  /** Tool cards and the like, by a key of their own. */
  readonly isUnfolded: (key: string) => boolean;
  readonly unfold: (key: string) => void;
  readonly iconOf: (agent: string) => string;
  readonly stop: (run: RunView) => void;
  readonly message: (run: RunView) => void;
  readonly fork: (run: RunView) => void;
};

const SceneContext = createContext<SessionScene | null>(null);

export const SceneProvider = SceneContext.Provider;

export const useScene = (): SessionScene => {
  const scene = useContext(SceneContext);
  if (scene === null) throw new Error("A part of a session was drawn outside of one.");
  return scene;
};

/** Draws again with everything that changes in the session. */
export const useSessionVersion = (session: LiveSession): number => useSyncExternalStore(session.subscribe, session.version);

/** Draws again only where what is read from the session is another text or number than before. */
export const useSessionValue = <Value extends string | number | boolean | null>(session: LiveSession, read: () => Value): Value =>
  useSyncExternalStore(session.subscribe, read);

/** Draws again with what changes in one run. */
export const useRunVersion = (session: LiveSession, runId: RunId): number =>
  useSyncExternalStore(session.subscribe, () => session.versionOf(runId));
