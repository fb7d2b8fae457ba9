/**
 * What the tools of a run hold open. It is closed before the run settles, and however a drive ends otherwise: cancelled, parked, failed or left open. A run
 * that is driven on opens what it needs anew.
 */
import type { Driven, Resources } from "@retinue/runtime";
import type { ActiveRun } from "./active-run.ts";
import type { Ground } from "./ground.ts";
import { createShelf } from "./shelf.ts";

export const createResources = ({ ports, sessionShelves }: Ground, run: ActiveRun): Resources => ({
  take: (resource) => {
    const { identity, spec } = run.state;
    const { sessionId, runId } = identity;
    if (resource.per === "session") return sessionShelves.take(resource, { sessionId, runId: null, workspace: mainFolder(run) });
    return (run.shelf ??= createShelf(ports.clock)).take(resource, { sessionId, runId, workspace: spec.workspace });
  },
});

const mainFolder = (run: ActiveRun): string => {
  let main = run;
  while (main.parent) main = main.parent;
  const { workspace, worktree } = main.state.spec;
  return worktree?.of ?? workspace;
};

/** Gives a warning for each that could not be closed; undefined where nothing is open. */
export const releaseOf = ({ shelf }: ActiveRun): Promise<readonly string[]> | undefined => shelf?.close();

/** Closes what is still open when the drive has ended, before anybody hears of the end. */
export const closeAfter = async (ground: Ground, run: ActiveRun, drive: () => Promise<Driven>): Promise<Driven> => {
  let hasSettled = false;
  try {
    const driven = await drive();
    hasSettled = driven.type === "settled";
    return driven;
  } finally {
    const unclosed = hasSettled ? undefined : releaseOf(run);
    if (unclosed) await tell(ground, run, unclosed);
    const leaving = restSession(ground, run, hasSettled);
    if (leaving) await leaving;
  }
};

const tell = async ({ options }: Ground, { state }: ActiveRun, unclosed: Promise<readonly string[]>): Promise<void> => {
  for (const warning of await unclosed) options.onProblem?.(`${state.identity.runId}: ${warning}`);
};

/** Whoever of the session is the last at work here lets go of what it holds open: a main run that has settled leaves it to the next turn. */
const restSession = ({ sessionShelves }: Ground, run: ActiveRun, hasSettled: boolean): Promise<void> | undefined => {
  const { state, session, parent } = run;
  const { sessionId } = state.identity;
  if (!sessionShelves.has(sessionId)) return undefined;
  if (session.runs.size > (session.runs.has(run) ? 1 : 0)) return undefined;
  if (!hasSettled || parent) return sessionShelves.leave(sessionId);
  sessionShelves.rest(sessionId);
  return undefined;
};
