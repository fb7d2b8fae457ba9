/**
 * What the engines of one process that share a log know of each other: which runs are at work in any of them. So none takes a run from another, and
 * none sweeps what another works on.
 */
import type { RunId } from "@retinue/protocol";

/** The runs that are at work in one engine. */
export type ActiveRuns = { readonly has: (runId: RunId) => boolean };

export type EngineFloor = {
  /** Whether the run is at work in any of the engines. */
  readonly isAtWork: (runId: RunId) => boolean;
  /** Lets the others know of an engine's runs, until the function returned is called. */
  readonly join: (active: ActiveRuns) => () => void;
};

export const createEngineFloor = (): EngineFloor => {
  const engines = new Set<ActiveRuns>();
  return {
    isAtWork: (runId) => {
      for (const active of engines) if (active.has(runId)) return true;
      return false;
    },
    join: (active) => {
      engines.add(active);
      return () => engines.delete(active);
    },
  };
};
