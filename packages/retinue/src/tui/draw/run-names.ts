/** The names of runs as people tell them apart: numbered, in the order in which they began, where an agent runs more than once. */
import type { RunView } from "@retinue/client";
import type { RunId } from "@retinue/protocol";
import { safeName } from "../screen/row.ts";

export type RunNames = ReadonlyMap<RunId, string>;

const walk = (runs: readonly RunView[], see: (run: RunView) => void): void => {
  for (const run of runs) {
    see(run);
    walk(run.children, see);
  }
};

export const nameRuns = (roots: readonly RunView[]): RunNames => {
  const byAgent = new Map<string, RunView[]>();
  walk(roots, (run) => {
    const same = byAgent.get(run.agent);
    if (same) same.push(run);
    else byAgent.set(run.agent, [run]);
  });
  const names = new Map<RunId, string>();
  for (const [agent, runs] of byAgent) {
    const name = safeName(agent);
    for (const [index, { runId }] of runs.entries()) names.set(runId, runs.length === 1 ? name : `${name} #${index + 1}`);
  }
  return names;
};
