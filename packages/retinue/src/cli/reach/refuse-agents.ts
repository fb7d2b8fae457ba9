/**
 * No agent answers questions, and none speaks to runs or stops them past its own tools: an input is refused where this process was started by a run's command or tool server, or stands below a
 * process that drives runs. Where a sandbox keeps commands from the record they do not even come this far.
 */
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { RetinueError } from "@retinue/protocol";
import type { ReadSide } from "@retinue/store";
import { readOpenSessions } from "./open-sessions.ts";

/** Set for everything that tools start. */
const MARKS = ["RETINUE_COMMAND", "RETINUE_MCP_SERVER"];

export type AncestorProcess = {
  readonly pid: number;
  /** Whether it was started with one of the marks. */
  readonly isMarked: boolean;
};

export type RefuseOptions = {
  readonly env: NodeJS.ProcessEnv;
  /** The processes above this one; none where the system does not tell. */
  readonly ancestors?: readonly AncestorProcess[];
};

/** Throws `answer_refused`. */
export const refuseAgents = async (sessions: ReadSide, { env, ancestors = readAncestors() }: RefuseOptions): Promise<void> => {
  const mark = MARKS.find((name) => env[name] !== undefined);
  if (mark !== undefined) throw refused(`This process was started by a command of a run (${mark} is set)`);
  const marked = ancestors.find(({ isMarked }) => isMarked);
  if (marked) throw refused(`Process ${marked.pid} above this one was started by a command of a run`);
  if (ancestors.length === 0) return;
  const open = await readOpenSessions(sessions);
  const holders = await sessions.holders(open.map(({ sessionId }) => sessionId));
  for (const [sessionId, { host, pid }] of holders)
    if (host === hostname() && ancestors.some((one) => one.pid === pid))
      throw refused(`This process stands below process ${pid}, which drives ${sessionId}`);
};

const refused = (why: string): RetinueError =>
  new RetinueError(
    "answer_refused",
    `${why}; agents do not answer questions, speak to runs or stop them, and nothing was changed.`,
  );

/** From the parent up to the first process. Empty on systems without /proc. */
const readAncestors = (): readonly AncestorProcess[] => {
  const ancestors: AncestorProcess[] = [];
  for (let pid = process.ppid; pid > 1;) {
    const parent = readParent(pid);
    if (parent === undefined) break;
    ancestors.push({ pid, isMarked: isMarked(pid) });
    pid = parent;
  }
  return ancestors;
};

const readParent = (pid: number): number | undefined => {
  try {
    const [, parent] = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return parent === undefined ? undefined : Number(parent);
  } catch {
    return undefined;
  }
};

/** What it was started with; what it took from its environment since is no matter. Of another user's process it cannot be told. */
const isMarked = (pid: number): boolean => {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    return environment.some((entry) => MARKS.some((name) => entry.startsWith(`${name}=`)));
  } catch {
    return false;
  }
};
