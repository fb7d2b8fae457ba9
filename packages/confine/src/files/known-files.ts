/**
 * What each run has last seen of the files it works on, so that nobody writes over what somebody else has written since: a change that was made in
 * between is found by what the file system says of the file, and the run is told to look again.
 */
import { stat } from "node:fs/promises";
import type { BigIntStats } from "node:fs";
import type { RunIdentity } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";

/** By run, then by absolute path. A run that is gone takes what it knew with it. */
const seen = new WeakMap<RunIdentity, Map<string, string>>();

type Write = { readonly by: WeakRef<RunIdentity>; readonly agent: string; readonly state: string };

/** The latest write of each file in this process; the oldest are forgotten. */
const writes = new Map<string, Write>();
const MOST_WRITES = 20_000;

const toState = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string => [ino, size, mtimeNs, ctimeNs].join(":");

const stateOf = (file: string): Promise<string | undefined> => stat(file, { bigint: true }).then(toState, () => undefined);

/** The run has the file before it, as it was when these were taken. */
export const noteRead = (run: RunIdentity, file: string, stats: BigIntStats): void => note(run, file, toState(stats));

/** The run has just written the file, so that it knows what stands there. */
export const noteWritten = async (run: RunIdentity, file: string): Promise<void> => {
  const state = await stateOf(file);
  if (state === undefined) return;
  note(run, file, state);
  writes.delete(file);
  writes.set(file, { by: new WeakRef(run), agent: run.agent, state });
  const [oldest] = writes.keys();
  if (writes.size > MOST_WRITES && oldest !== undefined) writes.delete(oldest);
};

const note = (run: RunIdentity, file: string, state: string): void => {
  let files = seen.get(run);
  if (!files) seen.set(run, (files = new Map()));
  files.set(file, state);
};

/** Whether the run has neither read nor written the file. */
export const isUnseen = (run: RunIdentity, file: string): boolean => seen.get(run)?.has(file) !== true;

export type Wanted = {
  readonly run: RunIdentity;
  readonly file: string;
  /** As the model reads it. */
  readonly shown: string;
  /** What stands there will be gone, whatever it is. */
  readonly replaces: boolean;
};

/** Throws `file_changed` where the run would write over what it does not know. A file that is gone can be lost to nobody. */
export const requireKnown = async ({ run, file, shown, replaces }: Wanted): Promise<void> => {
  const now = await stateOf(file);
  if (now === undefined) return;
  const known = seen.get(run)?.get(file);
  if (known !== undefined && known !== now)
    throw new RetinueError("file_changed", `${shown} was changed since you last read or wrote it. Nothing was written.`);
  const latest = writes.get(file);
  const isOthers = latest !== undefined && latest.state === now && latest.by.deref() !== run;
  if (replaces && known === undefined && isOthers)
    throw new RetinueError(
      "file_changed",
      `${shown} was written by another agent (${latest.agent}), and you have not read it. Nothing was written.`,
    );
};
