/** What the log says of single runs, for whoever has none of it in memory. */
import type { RecordedEvent, RunId, RunIdentity } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { RunState } from "@retinue/runtime";
import { fold } from "@retinue/runtime";
import type { Known } from "./active-run.ts";
import type { Ground } from "./ground.ts";
import { allowedIn } from "./sessions.ts";

const readSessionOf = async ({ log }: Pick<Ground, "log">, runId: RunId): Promise<readonly RecordedEvent[]> => {
  const sessionId = await log.sessionOf(runId);
  if (sessionId === undefined) throw unknownRun(runId);
  return log.read(sessionId);
};

const toKnown = (events: readonly RecordedEvent[]): Known => ({ states: fold(events), seq: events.at(-1)?.seq ?? 0 });

/** All runs of a session as its record stands now. */
export const readKnown = async (ground: Pick<Ground, "log">, runId: RunId): Promise<Known> =>
  toKnown(await readSessionOf(ground, runId));

export type OpenRun = { readonly known: Known; readonly state: RunState; readonly allowed: ReadonlySet<string> };

/** A run to be driven on, with the other runs of its session and what was allowed for the session, from one reading of the record. */
export const readOpenRun = async (ground: Pick<Ground, "log">, runId: RunId): Promise<OpenRun> => {
  const events = await readSessionOf(ground, runId);
  const known = toKnown(events);
  const state = known.states.get(runId);
  if (!state) throw unknownRun(runId);
  if (state.spec.recordedOnly && !state.result)
    throw new RetinueError("run_of_host", `Run ${runId} is a call that its host recorded; it cannot be resumed.`);
  return { known, state, allowed: allowedIn(events) };
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
