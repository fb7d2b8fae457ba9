/**
 * A process that drives runs which another process drives too: it takes each run over whenever it has lost it, until the run has settled.
 * Told on the command line: the folder of the runs, how many, and how many processes begin together. Says what it lost as a line of JSON.
 */
import { appendFileSync, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { RetinueError } from "@retinue/protocol";
import { createVictimHost, type VictimHost } from "./victim-host.ts";

export type Thief = { readonly stolenFrom: number };

const [place = "", runs = "", processes = ""] = process.argv.slice(2);

/** Both begin when both are there. */
const wait = async (file: string): Promise<void> => {
  appendFileSync(file, "x");
  while (statSync(file).size < Number(processes)) await delay(1);
};

/** True when the run has settled, false when it was taken away. */
const drive = async (host: VictimHost): Promise<boolean> => {
  try {
    await (
      await host.run({ takeOver: true })
    ).result;
    return true;
  } catch (thrown) {
    // `run_exists`: the other one was quicker to request it.
    if (thrown instanceof RetinueError && (thrown.code === "lease_lost" || thrown.code === "run_exists")) return false;
    throw thrown;
  }
};

let stolenFrom = 0;
for (let run = 1; run <= Number(runs); run += 1) {
  const folder = path.join(place, `run-${run}`);
  mkdirSync(folder, { recursive: true });
  await wait(`${folder}.ready`);
  const host = await createVictimHost({
    order: { folder, scenario: "many-turns" },
    say: () => {},
    point: () => {},
    beforeWrite: () => {},
  });
  while (!(await drive(host))) stolenFrom += 1;
  await host.close();
}
process.stdout.write(JSON.stringify({ stolenFrom } satisfies Thief));
