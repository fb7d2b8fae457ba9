/** What the log says of single runs, for whoever has none of it in memory. */
import type { RunId, RunIdentity } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { fold } from "@retinue/runtime";
import type { Known } from "./active-run.ts";
import type { Ground } from "./ground.ts";

/** All runs of a session as its record stands now. */
export const readKnown = async ({ log }: Pick<Ground, "log">, runId: RunId): Promise<Known> => {
  const sessionId = await log.sessionOf(runId);
  if (sessionId === undefined) throw unknownRun(runId);
  const events = await log.read(sessionId);
  return { states: fold(events), seq: events.at(-1)?.seq ?? 0 };
};

export const identityOf = async (ground: Pick<Ground, "log" | "active">, runId: RunId): Promise<RunIdentity> => {
  const run = ground.active.get(runId);
  if (run) return run.state.identity;
  const sessionId = await ground.log.sessionOf(runId);
  if (sessionId === undefined) throw unknownRun(runId);
  const [first] = await ground.log.readRuns(sessionId, [runId]);
  if (!first) throw unknownRun(runId);
  return first;
};

const unknownRun = (runId: RunId): RetinueError => new RetinueError("run_unknown", `There is no run ${runId}.`);
