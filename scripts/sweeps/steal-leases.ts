/** Lets two processes take runs from each other, over and over, and looks whether any effect was made twice. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { examine } from "./examine.ts";
import type { Finding } from "./finding.ts";
import { readRecord } from "./read-record.ts";
import { SCENARIOS } from "./scenarios.ts";
import type { Thief } from "./thief.ts";
import { databaseIn } from "./trial-record.ts";

export type StealReport = {
  readonly runs: number;
  readonly steals: number;
  readonly unknown: number;
  readonly seconds: number;
  readonly findings: readonly Finding[];
};

const PROCESSES = 2;
/** Runs that a pair of processes fights over before it is replaced by another pair. */
const MOST_RUNS = 16;
/** What one run brings on a busy machine; more on an idle one. */
const STEALS_A_RUN = 12;
const THIEF = fileURLToPath(new URL("thief.ts", import.meta.url));

/** Goes on until so many leases were stolen. */
export const stealLeases = async (wanted: number, signal?: AbortSignal): Promise<StealReport> => {
  const startedAt = performance.now();
  let [runs, steals, unknown] = [0, 0, 0];
  const findings: Finding[] = [];
  while (steals < wanted) {
    const batch = Math.min(MOST_RUNS, Math.ceil((wanted - steals) / STEALS_A_RUN));
    const place = mkdtempSync(path.join(tmpdir(), "retinue-thieves-"));
    try {
      const thieves = await Promise.all(Array.from({ length: PROCESSES }, () => runThief(place, batch, signal)));
      steals += thieves.reduce((total, { stolenFrom }) => total + stolenFrom, 0);
      for (let run = 1; run <= batch; run += 1) {
        const folder = path.join(place, `run-${run}`);
        const final = readRecord(databaseIn(folder));
        const examination = examine({ scenario: SCENARIOS["many-turns"], folder, said: [], crashes: [], final });
        findings.push(...examination.findings);
        unknown += examination.unknown;
        runs += 1;
      }
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  }
  return { runs, steals, unknown, seconds: Math.round((performance.now() - startedAt) / 100) / 10, findings };
};

const runThief = async (place: string, runs: number, signal: AbortSignal | undefined): Promise<Thief> => {
  const args = ["--disable-warning=ExperimentalWarning", THIEF, place, String(runs), String(PROCESSES)];
  const { stdout } = await promisify(execFile)(process.execPath, args, signal === undefined ? {} : { signal });
  return JSON.parse(stdout) as Thief;
};
