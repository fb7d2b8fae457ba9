/** One run that is stopped on its way, in the ways it is told, then resumed until it settles, then examined. */
import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { createSqliteLog } from "@retinue/store/sqlite";
import { examine } from "./examine.ts";
import type { Finding } from "./finding.ts";
import { readCrashed, readRecord, type Record } from "./read-record.ts";
import { SCENARIOS } from "./scenario.ts";
import { databaseIn } from "./victim-host.ts";
import { wasInjected } from "./strace.ts";
import type { VictimLine } from "./victim-line.ts";
import type { VictimOrder } from "./victim-order.ts";
import { runVictim, type VictimOptions } from "./victim-process.ts";

/** How one process is disturbed. */
export type Disturbance = Pick<VictimOptions, "strace" | "killAfterMs"> &
  Pick<VictimOrder, "killAt" | "failAt"> & {
    /** Without its death, or without a fault in this output of strace, it was not disturbed, and the trial is worth nothing. */
    readonly isDeadly?: boolean;
    readonly faultIn?: string;
  };

export type TrialOptions = {
  /** Trials share it: each has a folder of its own in it. */
  readonly place: string;
  readonly order: Omit<VictimOrder, "folder" | "killAt" | "failAt">;
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

export const runTrial = async ({ place, order, disturbances }: TrialOptions): Promise<Trial> => {
  const folder = mkdtempSync(path.join(place, "trial-"));
  const database = databaseIn(folder);
  const findings: Finding[] = [];
  const said: (readonly VictimLine[])[] = [];
  const crashes: Record[] = [];
  const stops: string[] = [];
  let kills = 0;
  let unreached = 0;
  try {
    let settled = false;
    for (let process = 0; !settled && process < disturbances.length + MOST_RESUMES; process += 1) {
      const { killAt, failAt, isDeadly = false, faultIn, ...how } = disturbances[process] ?? {};
      const ending = await runVictim({
        order: {
          ...order,
          folder,
          ...(killAt === undefined ? {} : { killAt }),
          ...(failAt === undefined ? {} : { failAt }),
        },
        cache: path.join(place, "cache"),
        ...how,
      });
      said.push(ending.lines);
      if (ending.killed) kills += 1;
      else if (isDeadly) unreached += 1;
      if (faultIn !== undefined && !wasInjected(faultIn)) unreached += 1;
      settled = ending.exitCode === 0 && ending.lines.some(({ type }) => type === "settled");
      if (settled) break;
      crashes.push(readCrashed(database));
      const stop = ending.lines.find((line) => line.type === "stopped");
      if (stop) stops.push(stop.code ?? stop.message);
      const isClear = ending.killed || (stop !== undefined && stop.code !== null);
      if (ending.hung || !isClear)
        findings.push({ kind: "unclear-stop", what: ending.hung ? "it hung" : (stop?.message ?? ending.stderr) });
      if (process >= disturbances.length)
        findings.push({ kind: "failed-resume", what: stop?.message ?? (ending.stderr || `ended with ${ending.exitCode}`) });
    }
    const final = readRecord(database);
    const { findings: found, unknown } = examine({ scenario: SCENARIOS[order.scenario], folder, said, crashes, final });
    return { findings: [...findings, ...found, ...(await verify(database))], kills, unreached, stops, unknown };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** What the store itself says of its rows, projections and search index. */
const verify = async (database: string): Promise<readonly Finding[]> => {
  const log = createSqliteLog({ path: database });
  try {
    const { damage } = await log.readSide.verify();
    return damage.map(({ what, seq }) => ({ kind: "broken-chain", what: `${what} (event ${seq})` }));
  } finally {
    await log.close();
  }
};
