/** From what a user wrote to a run: the run's id, the beginning of it, or a session, whose latest main run is meant. */
import type { RunId, RunIdentity } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { ReadSide, RunNode, SessionRow } from "@retinue/store";
import { findSession } from "../record/find-session.ts";
import type { CommandRecord } from "../record/open-for-command.ts";
import { readOpenSessions } from "./open-sessions.ts";

export type FoundRun = { readonly session: SessionRow; readonly run: RunNode };

const PREFIX = "run_";

/** Throws `run_unknown` or `session_unknown`, and `usage` where the beginning fits more than one. */
export const findRun = async (name: string, record: CommandRecord): Promise<FoundRun> => {
  if (name.startsWith(PREFIX)) return findById(name, record);
  const session = await findSession(name, record);
  const run = (await record.sessions.tree(session.sessionId)).at(-1);
  if (!run) throw new RetinueError("run_unknown", `${session.sessionId} holds no run.`);
  return { session, run };
};

export const toIdentity = ({ session, run }: FoundRun): RunIdentity => ({
  sessionId: session.sessionId,
  runId: run.runId,
  parentRunId: run.parentRunId,
  depth: run.depth,
  agent: run.agent,
});

const findById = async (name: string, { store, sessions }: CommandRecord): Promise<FoundRun> => {
  const sessionId = await store.sessionOf(name as RunId);
  const session = sessionId && (await sessions.session(sessionId));
  const exact = session && (await runsOf(session, sessions)).find(({ run }) => run.runId === name);
  if (exact) return exact;
  const found: FoundRun[] = [];
  if (name !== PREFIX)
    for (const open of await readOpenSessions(sessions))
      found.push(...(await runsOf(open, sessions)).filter(({ run }) => run.runId.startsWith(name)));
  const [only, ...others] = found;
  if (!only)
    throw new RetinueError("run_unknown", `There is no run ${name}.`, {
      hint: "`retinue sessions show SESSION --json` lists the runs of a session; of one that has ended, give the whole id.",
    });
  if (others.length > 0)
    throw new RetinueError("usage", `${found.length} runs begin with ${name}.`, { hint: "Give more of the id." });
  return only;
};

const runsOf = async (session: SessionRow, sessions: ReadSide): Promise<readonly FoundRun[]> => {
  const flatten = (nodes: readonly RunNode[]): readonly RunNode[] => nodes.flatMap((run) => [run, ...flatten(run.children)]);
  return flatten(await sessions.tree(session.sessionId)).map((run) => ({ session, run }));
};
