/**
 * All that one command has started: its process group, and on Linux also what left the group (setsid, double fork) but still carries the
 * mark in its environment. What clears its environment as well escapes; only a PID namespace holds that.
 */
import { readdirSync, readFileSync } from "node:fs";
import { setImmediate as breathe, setTimeout as sleep } from "node:timers/promises";

export type ProcessTree = {
  /** The group's id, which is the pid of its first process. */
  readonly group: number;
  /** `NAME=value`, as it stands in the environment of every process of the tree. */
  readonly mark: string;
  /** When its first process was started, as `startOf` gives it: none of the tree is older. */
  readonly startedAt?: number;
};

/** How long processes that were asked to end may take before they are killed. */
const GRACE_MS = 2000;
const POLL_MS = 25;
const KILL_ROUNDS = 40;
/** A read of /proc takes microseconds, and many times that where each is waited for by itself. */
const READS_AT_ONCE = 100;

/** Asks all of the tree to end, kills what is left after the grace, and gives how many there were. */
export const endProcessTree = async (tree: ProcessTree): Promise<number> => {
  const first = await findProcesses(tree);
  if (first.count === 0) return 0;
  signalAll(first.targets, "SIGTERM");
  const deadline = performance.now() + GRACE_MS;
  while (performance.now() < deadline) {
    await sleep(POLL_MS);
    if ((await findProcesses(tree)).count === 0) return first.count;
  }
  // More than once, since a process may fork between being found and being killed.
  for (let round = 0; round < KILL_ROUNDS; round += 1) {
    const { targets } = await findProcesses(tree);
    if (targets.length === 0) break;
    signalAll(targets, "SIGKILL");
    await sleep(POLL_MS);
  }
  return first.count;
};

/** At once and without waiting, for when this process itself is about to end. */
export const killGroup = (group: number): void => signalAll([-group], "SIGKILL");

/** `targets` are for kill(2): a negative one is a whole group, so that no fork slips through. */
type Found = { readonly targets: readonly number[]; readonly count: number };

const signalAll = (targets: readonly number[], signal: NodeJS.Signals): void => {
  for (const target of targets)
    try {
      process.kill(target, signal);
    } catch {
      // It has just ended, which is what was wanted.
    }
};

const findProcesses = async (tree: ProcessTree): Promise<Found> => {
  const { group } = tree;
  const pids = listProcesses();
  if (pids.length === 0) return findGroup(group);
  let members = 0;
  const strays: number[] = [];
  for (const [index, pid] of pids.entries()) {
    if (index % READS_AT_ONCE === READS_AT_ONCE - 1) await breathe();
    const place = placeOf(pid, tree);
    if (place === "group") members += 1;
    else if (place === "stray") strays.push(pid);
  }
  return { targets: [...(members > 0 ? [-group] : []), ...strays], count: members + strays.length };
};

const listProcesses = (): readonly number[] => {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? Number(name) : []));
  } catch {
    return [];
  }
};

/** The name in parentheses may hold anything; state, parent and group follow it, and later when it was started. */
const readStat = (pid: number): readonly string[] => {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
};

const STARTED_AT = 19;

/** In the clock of the kernel; undefined where it cannot be told. */
export const startOf = (pid: number): number | undefined => {
  try {
    return Number(readStat(pid)[STARTED_AT]);
  } catch {
    return undefined;
  }
};

const placeOf = (pid: number, { group, mark, startedAt = 0 }: ProcessTree): "group" | "stray" | null => {
  if (pid === process.pid) return null;
  try {
    const stat = readStat(pid);
    const [state, , its] = stat;
    if (state === "Z" || state === "X") return null;
    if (Number(its) === group) return "group";
    if (Number(stat[STARTED_AT]) < startedAt) return null;
    const environment = readFileSync(`/proc/${pid}/environ`, "latin1");
    return environment.split("\0").includes(mark) ? "stray" : null;
  } catch {
    // It has ended, or belongs to somebody else.
    return null;
  }
};

/** Where there is no /proc only the group is known, and dead processes that nobody collected count too. */
const findGroup = (group: number): Found => {
  try {
    process.kill(-group, 0);
    return { targets: [-group], count: 1 };
  } catch {
    return { targets: [], count: 0 };
  }
};
