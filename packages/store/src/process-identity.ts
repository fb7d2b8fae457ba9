/** Which process this is, and whether another one still lives: told at once on the same machine, by its heartbeat elsewhere. */
import { hash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

export type ProcessIdentity = {
  /** The name of the machine, for people. */
  readonly host: string;
  /** Where a process number means the same process: one boot of one machine, inside one container. */
  readonly space: string;
  readonly pid: number;
  /** Tells a process from a later one of the same number. Empty where the system does not say. */
  readonly started: string;
};

let own: ProcessIdentity | undefined;

export const thisProcess = (): ProcessIdentity =>
  (own ??= { host: hostname(), space: readSpace(), pid: process.pid, started: readStart(process.pid) ?? "" });

/** Undefined where it cannot be told from here. */
export const isAlive = ({ space, pid, started }: ProcessIdentity): boolean | undefined => {
  if (space !== thisProcess().space) return undefined;
  if (!exists(pid)) return false;
  const found = readStart(pid);
  return found === undefined ? undefined : found === started;
};

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // One of another user lives, too.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
};

const readSpace = (): string => {
  const parts = [process.platform, hostname()];
  if (process.platform === "linux")
    try {
      parts.push(readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(), readlinkSync("/proc/self/ns/pid"));
    } catch {
      // Without them the name of the machine has to do, and heartbeats decide.
    }
  return hash("sha256", JSON.stringify(parts)).slice(0, 32);
};

/** When a process was started, in ticks since the boot. Undefined where the system does not say. */
const readStart = (pid: number): string | undefined => {
  if (process.platform !== "linux") return undefined;
  try {
    // The name of the program stands in brackets and may hold anything; state and start are the 1st and the 20th field after it.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return fields[0] === "Z" || fields[0] === "X" ? "ended" : fields[19];
  } catch {
    return undefined;
  }
};
