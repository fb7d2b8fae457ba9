/** A run that nothing disturbs, to learn where it can be disturbed. */
import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { type CallPoint, readCallPoints, toRecordingArguments } from "./strace.ts";
import type { TrialOptions } from "./trial.ts";
import { runVictim, type VictimEnding } from "./victim-process.ts";

type Order = TrialOptions["order"];

type DryRun<T> = {
  readonly place: string;
  readonly order: Order;
  readonly strace?: readonly string[] | undefined;
  /** Arguments of strace for a process that is killed first, so that this one resumes. */
  readonly killedBefore?: readonly string[] | undefined;
  readonly learn: (ending: VictimEnding, folder: string) => T;
};

const dryRun = async <T>({ place, order: given, strace, killedBefore, learn }: DryRun<T>): Promise<T> => {
  const folder = mkdtempSync(path.join(place, "dry-run-"));
  try {
    const order = { ...given, folder };
    const cache = path.join(place, "cache");
    if (killedBefore !== undefined) await runVictim({ order, cache, strace: killedBefore });
    const ending = await runVictim({ order, cache, ...(strace === undefined ? {} : { strace }) });
    if (ending.exitCode !== 0) throw new Error(`A run that nothing disturbs ended with ${ending.exitCode}: ${ending.stderr}`);
    return learn(ending, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** The system calls by which the run, or what resumes it, changes files. */
export const recordCallPoints = (
  place: string,
  order: Order,
  killedBefore?: readonly string[],
): Promise<readonly CallPoint[]> => {
  const recording = path.join(place, "recording.txt");
  return dryRun({
    place,
    order,
    killedBefore,
    strace: toRecordingArguments(recording),
    learn: (_, folder) => readCallPoints(recording, folder),
  });
};

/** The points of its own counter, and the writes of its log. */
export const countPoints = (place: string, order: Order): Promise<{ readonly points: number; readonly writes: number }> =>
  dryRun({
    place,
    order,
    learn: ({ lines }) => {
      const counted = lines.find((line) => line.type === "counted");
      if (!counted) throw new Error("The run has counted nothing.");
      return counted;
    },
  });

/** How long it takes from when it is ready, here and now. */
export const measureRun = (place: string, order: Order): Promise<number> =>
  dryRun({ place, order, learn: ({ workMs }) => workMs });
