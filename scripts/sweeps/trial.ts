/** One run that is stopped on its way, in the ways it is told, then resumed until it settles, then examined. */
import { examine } from "./examine.ts";
import type { Finding } from "./finding.ts";
import type { Record } from "./read-record.ts";
import { SCENARIOS } from "./scenarios.ts";
import { openStage, type Stage, type StageOrder, type SweepGround, type VictimHow } from "./stage.ts";
import { wasInjected } from "./strace.ts";
import { readFinal, readLeft, verifyRecord } from "./trial-record.ts";
import type { VictimLine } from "./victim-line.ts";

/** How one process is disturbed. What strace does may depend on the folder it is done in. */
export type Disturbance = Omit<VictimHow, "strace"> & {
  readonly strace?: (folder: string) => readonly string[];
  /** Without its death, or without a fault in this output of strace, it was not disturbed, and the trial is worth nothing. */
  readonly isDeadly?: boolean;
  readonly faultIn?: string;
};

export type TrialOptions = {
  readonly ground: SweepGround;
  readonly order: StageOrder;
  /** One for each process, until the last one is left in peace. */
  readonly disturbances: readonly Disturbance[];
};

export type Trial = {
  readonly findings: readonly Finding[];
  /** Processes that were killed. */
  readonly kills: number;
  /** Processes that were to be killed or to see a fault, and came to their end before: how they write depends a little on their pace. */
  readonly unreached: number;
  /** Codes with which processes stopped by themselves. */
  readonly stops: readonly string[];
  /** Calls of which it is told that nobody knows what became of them. */
  readonly unknown: number;
};

/** How often a run is resumed before it counts as one that cannot be. */
const MOST_RESUMES = 3;

export const runTrial = async ({ ground, order, disturbances }: TrialOptions): Promise<Trial> => {
  const stage = openStage(ground, order);
  try {
    const { findings, said, crashes, ...counted } = await runUntilSettled(stage, ground, disturbances);
    const final = await readFinal(stage.order);
    const examined = examine({ scenario: SCENARIOS[order.scenario], folder: stage.folder, said, crashes, final });
    for (const what of stage.misunderstood) findings.push({ kind: "wrong-input", what });
    for (const what of await verifyRecord(stage.order)) findings.push({ kind: "broken-chain", what });
    return { findings: [...findings, ...examined.findings], unknown: examined.unknown, ...counted };
  } finally {
    await stage.close();
  }
};

type Told = Omit<Trial, "findings" | "unknown"> & {
  readonly findings: Finding[];
  readonly said: readonly (readonly VictimLine[])[];
  readonly crashes: readonly Record[];
};

const runUntilSettled = async (stage: Stage, { signal }: SweepGround, disturbances: readonly Disturbance[]): Promise<Told> => {
  const findings: Finding[] = [];
  const said: (readonly VictimLine[])[] = [];
  const crashes: Record[] = [];
  const stops: string[] = [];
  let kills = 0;
  let unreached = 0;
  for (let process = 0; process < disturbances.length + MOST_RESUMES; process += 1) {
    const disturbance = disturbances[process] ?? {};
    const { isDeadly = false, faultIn } = disturbance;
    const ending = await stage.run(toHow(disturbance, stage.folder));
    signal?.throwIfAborted();
    said.push(ending.lines);
    if (ending.killed) kills += 1;
    else if (isDeadly) unreached += 1;
    if (faultIn !== undefined && !wasInjected(faultIn)) unreached += 1;
    if (ending.exitCode === 0 && ending.lines.some(({ type }) => type === "settled")) break;
    crashes.push(await readLeft(stage.order));
    const stop = ending.lines.find((line) => line.type === "stopped");
    if (stop) stops.push(stop.code ?? stop.message);
    const isClear = ending.killed || (stop !== undefined && stop.code !== null);
    if (ending.hung || !isClear)
      findings.push({ kind: "unclear-stop", what: ending.hung ? "it hung" : (stop?.message ?? ending.stderr) });
    if (process >= disturbances.length)
      findings.push({ kind: "failed-resume", what: stop?.message ?? (ending.stderr || `ended with ${ending.exitCode}`) });
  }
  return { findings, said, crashes, stops, kills, unreached };
};

export const toHow = (disturbance: Disturbance, folder: string): VictimHow => {
  const { strace, killAfterMs, killAt, failAt, killParked } = disturbance;
  return {
    ...(strace === undefined ? {} : { strace: strace(folder) }),
    ...(killAfterMs === undefined ? {} : { killAfterMs }),
    ...(killAt === undefined ? {} : { killAt }),
    ...(failAt === undefined ? {} : { failAt }),
    ...(killParked === undefined ? {} : { killParked }),
  };
};
