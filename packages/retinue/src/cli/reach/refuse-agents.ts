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
  /** Whoever started this process has gone, so that the first process of the system has it. */
  readonly isOrphan?: boolean;
  /** The control group of a process, by which it is known where it was started from; this process by default. */
  readonly cgroupOf?: (pid: number | "self") => string | undefined;
};

/** Throws `answer_refused`. */
export const refuseAgents = async (
  sessions: ReadSide,
  { env, ancestors = readAncestors(), isOrphan = isLeftAlone(), cgroupOf = readCgroup }: RefuseOptions,
): Promise<void> => {
  const mark = MARKS.find((name) => env[name] !== undefined);
  if (mark !== undefined) throw refused(`This process was started by a command of a run (${mark} is set)`);
  const marked = ancestors.find(({ isMarked }) => isMarked);
  if (marked) throw refused(`Process ${marked.pid} above this one was started by a command of a run`);
  if (ancestors.length === 0 && !isOrphan) return;
  const open = await readOpenSessions(sessions);
  const holders = await sessions.holders(open.map(({ sessionId }) => sessionId));
  for (const [sessionId, { host, pid }] of holders) {
    if (host !== hostname()) continue;
    if (ancestors.some((one) => one.pid === pid))
      throw refused(`This process stands below process ${pid}, which drives ${sessionId}`);
    // A command that forks twice loses what is above it, but not the group that it was started in.
    if (isOrphan && isWithin(cgroupOf("self"), cgroupOf(pid)))
      throw refused(`Nothing stands above this process any more, and it comes from where process ${pid} drives ${sessionId}`);
  }
};

const isWithin = (own: string | undefined, other: string | undefined): boolean =>
  own !== undefined && other !== undefined && (own === other || own.startsWith(`${other.replace(/\/$/, "")}/`));

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

/** The first process has it, and no terminal is there that a person could sit at. */
const isLeftAlone = (): boolean => {
  if (process.ppid !== 1) return false;
  try {
    const fields = readFileSync("/proc/self/stat", "latin1");
    // State, parent, group, session, terminal; the name before them may hold anything.
    const [, , , , terminal] = fields.slice(fields.lastIndexOf(")") + 2).split(" ");
    return terminal === "0";
  } catch {
    return false;
  }
};

/** The path of the unified hierarchy, or of the first one that there is. */
const readCgroup = (pid: number | "self"): string | undefined => {
  try {
    const lines = readFileSync(`/proc/${pid}/cgroup`, "utf8").trimEnd().split("\n");
    return (lines.find((line) => line.startsWith("0::")) ?? lines[0])?.split(":").slice(2).join(":");
  } catch {
    return undefined;
  }
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
