/**
 * What the engines of one process that share a log know of each other: which runs are at work in any of them, and who listens to their sessions. So none takes
 * a run from another, none sweeps what another works on, and whoever follows a session hears it live from whichever of them drives it.
 */
import type { RunId, SessionId } from "@retinue/protocol";
import type { Follower } from "../follower.ts";

/** The runs that are at work in one engine. */
export type ActiveRuns = { readonly has: (runId: RunId) => boolean };

/** A session that something is at work on in one engine. */
export type LiveSession = { readonly followers: Set<Follower> };

export type LiveSessions = { readonly get: (sessionId: SessionId) => LiveSession | undefined };

export type EngineFloor = {
  /** Whether the run is at work in any of the engines. */
  readonly isAtWork: (runId: RunId) => boolean;
  /** Those of the engines that something of the session is at work in have one each. */
  readonly liveSessions: (sessionId: SessionId) => readonly LiveSession[];
  /** Lets the others know of an engine's runs and sessions, until the function returned is called. */
  readonly join: (active: ActiveRuns, sessions: LiveSessions) => () => void;
};

export const createEngineFloor = (): EngineFloor => {
  const engines = new Set<{ readonly active: ActiveRuns; readonly sessions: LiveSessions }>();
  return {
    isAtWork: (runId) => {
      for (const { active } of engines) if (active.has(runId)) return true;
      return false;
    },
    liveSessions: (sessionId) => Array.from(engines).flatMap(({ sessions }) => sessions.get(sessionId) ?? []),
    join: (active, sessions) => {
      const engine = { active, sessions };
      engines.add(engine);
      return () => engines.delete(engine);
    },
  };
};
