/**
 * All that one command has started: its process group, and on Linux also what left the group (setsid, double fork) but still carries the
 * mark in its environment. What clears its environment as well escapes; only a PID namespace holds that.
 */
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

export type ProcessTree = {
  /** The group's id, which is the pid of its first process. */
  readonly group: number;
  /** `NAME=value`, as it stands in the environment of every process of the tree. */
  readonly mark: string;
};

/** How long processes that were asked to end may take before they are killed. */
const GRACE_MS = 2000;
const POLL_MS = 25;
const KILL_ROUNDS = 40;
const READS_AT_ONCE = 64;

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

const findProcesses = async ({ group, mark }: ProcessTree): Promise<Found> => {
  const names = await readdir("/proc").catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  if (pids.length === 0) return findGroup(group);
  let members = 0;
  const strays: number[] = [];
  for (let at = 0; at < pids.length; at += READS_AT_ONCE)
    await Promise.all(
      pids.slice(at, at + READS_AT_ONCE).map(async (pid) => {
        const place = await placeOf(pid, { group, mark });
        if (place === "group") members += 1;
        else if (place === "stray") strays.push(pid);
      }),
    );
  return { targets: [...(members > 0 ? [-group] : []), ...strays], count: members + strays.length };
};

const placeOf = async (pid: number, { group, mark }: ProcessTree): Promise<"group" | "stray" | null> => {
  if (pid === process.pid) return null;
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "latin1");
    // The name in parentheses may hold anything; state, parent and group follow it.
    const [state, , its] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || state === "X") return null;
    if (Number(its) === group) return "group";
    const environment = await readFile(`/proc/${pid}/environ`, "latin1");
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
