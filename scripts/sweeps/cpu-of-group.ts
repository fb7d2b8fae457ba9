/** How much processor time a group of processes has used, so that one that waits for its turn on a busy machine is told from one that hangs. */
import { readdirSync, readFileSync } from "node:fs";

/** On Linux it is counted in hundredths of a second, whatever the machine. */
const TICK_MS = 10;

/** In milliseconds; null where the machine does not tell. */
export const cpuOfGroup = (group: number): number | null => {
  let ticks = 0;
  try {
    for (const pid of readdirSync("/proc")) if (/^\d+$/.test(pid)) ticks += ticksOf(pid, group);
  } catch {
    return null;
  }
  return ticks * TICK_MS;
};

const ticksOf = (pid: string, group: number): number => {
  try {
    // The name of the program may hold anything, also brackets.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return Number(fields[2]) === group ? Number(fields[11]) + Number(fields[12]) : 0;
  } catch {
    // It has ended meanwhile.
    return 0;
  }
};
