/** A run that nothing disturbs, to learn where it can be disturbed. */
import path from "node:path";
import { openStage, type StageOrder, type SweepGround } from "./stage.ts";
import { type CallPoint, readCallPoints, toRecordingArguments } from "./strace.ts";
import { type Disturbance, toHow } from "./trial.ts";
import type { VictimEnding } from "./victim-process.ts";

type DryRun<T> = {
  readonly ground: SweepGround;
  readonly order: StageOrder;
  readonly strace?: readonly string[] | undefined;
  /** What happens to a process before, so that this one resumes. */
  readonly before?: Disturbance | undefined;
  readonly learn: (ending: VictimEnding, folder: string) => T;
};

const dryRun = async <T>({ ground, order, strace, before, learn }: DryRun<T>): Promise<T> => {
  const stage = openStage(ground, order);
  try {
    if (before !== undefined) await stage.run(toHow(before, stage.folder));
    const ending = await stage.run(strace === undefined ? {} : { strace });
    ground.signal?.throwIfAborted();
    if (ending.exitCode !== 0) throw new Error(`A run that nothing disturbs ended with ${ending.exitCode}: ${ending.stderr}`);
    return learn(ending, stage.folder);
  } finally {
    await stage.close();
  }
};

/** The system calls by which the run, or what resumes it, changes files. */
export const recordCallPoints = (ground: SweepGround, order: StageOrder, before?: Disturbance): Promise<readonly CallPoint[]> => {
  const recording = path.join(ground.place, "recording.txt");
  return dryRun({
    ground,
    order,
    before,
    strace: toRecordingArguments(recording),
    learn: (_, folder) => readCallPoints(recording, folder),
  });
};

/** The points of its own counter, and the writes of its log. */
export const countPoints = (
  ground: SweepGround,
  order: StageOrder,
  before?: Disturbance,
): Promise<{ readonly points: number; readonly writes: number }> =>
  dryRun({
    ground,
    order,
    before,
    learn: ({ lines }) => {
      const counted = lines.find((line) => line.type === "counted");
      if (!counted) throw new Error("The run has counted nothing.");
      return counted;
    },
  });

/** How long it takes from when it is ready, here and now. */
export const measureRun = (ground: SweepGround, order: StageOrder): Promise<number> =>
  dryRun({ ground, order, learn: ({ workMs }) => workMs });
