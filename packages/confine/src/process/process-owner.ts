/** Which process holds something that outlives it, and whether that process is surely dead. What cannot be told is not dead. */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { startOf } from "./process-tree.ts";

export type ProcessOwner = {
  readonly pid: number;
  /** Tells a process from a later one of the same number; empty where the system does not say. */
  readonly started: string;
  readonly host?: string;
  /** One boot of a machine. */
  readonly boot?: string;
  /** Where process numbers mean the same processes: a container has numbers of its own. */
  readonly numbers?: string;
};

export const thisOwner = (): ProcessOwner => ({
  pid: process.pid,
  started: String(startOf(process.pid) ?? ""),
  host: hostname(),
  boot: orEmpty(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
  numbers: orEmpty(() => readlinkSync("/proc/self/ns/pid")),
});

export const isDead = (owner: ProcessOwner): boolean => {
  const own = thisOwner();
  if ((owner.host ?? own.host) !== own.host) return false;
  if ((owner.boot ?? own.boot) !== own.boot) return true;
  if ((owner.numbers ?? own.numbers) !== own.numbers) return false;
  if (!isThere(owner.pid)) return true;
  const started = startOf(owner.pid);
  return started !== undefined && owner.started !== "" && String(started) !== owner.started;
};

export const isProcessOwner = (value: unknown): value is ProcessOwner =>
  typeof value === "object" &&
  value !== null &&
  "pid" in value &&
  Number.isInteger(value.pid) &&
  "started" in value &&
  typeof value.started === "string";

const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
};

const orEmpty = (read: () => string): string => {
  try {
    return read();
  } catch {
    return "";
  }
};
