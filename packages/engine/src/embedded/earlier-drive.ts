/**
 * A run that parked while others work below it, in the background, is driven on above them: it goes on with the purse and the tree of its earlier drive, which
 * those below spend from and stop with.
 */
import type { RunId } from "@retinue/protocol";
import type { ActiveRun, Session } from "./active-run.ts";

/** The earlier drive of a run, as those below it that are at work know it; undefined where nobody is, or where its tree was left. */
export const findEarlierDrive = ({ runs }: Pick<Session, "runs">, runId: RunId): ActiveRun | undefined => {
  for (const run of runs)
    for (let above = run.parent; above; above = above.parent)
      if (above.state.identity.runId === runId) return above.tree.fault ? undefined : above;
  return undefined;
};

/** Puts a run where its earlier drive was, above all that work below it. */
export const takePlaceOf = (earlier: ActiveRun, run: ActiveRun): void => {
  for (const below of run.session.runs)
    for (let one: ActiveRun | null = below; one; one = one.parent) if (one.parent === earlier) one.parent = run;
};

export const isAboveOthers = (run: ActiveRun): boolean => {
  for (const { parent } of run.session.runs) for (let above = parent; above; above = above.parent) if (above === run) return true;
  return false;
};
