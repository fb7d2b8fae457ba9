/**
 * Ends sandboxes that were left half made. bubblewrap is killed with whoever started it, but its own child is bound to it only a moment later: who is
 * killed in that moment leaves a process that has run nothing and waits for ever.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** Those with a folder of these among their arguments, which is how a sandbox shows whose it was. */
export const endHalfMadeSandboxes = (folders: readonly string[]): void => {
  if (process.platform !== "linux" || folders.length === 0) return;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) if (isOf(pid, folders)) end(Number(pid));
};

const isOf = (pid: string, folders: readonly string[]): boolean => {
  try {
    const [program = "", ...args] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return path.basename(program) === "bwrap" && args.some((arg) => folders.some((folder) => arg.startsWith(`${folder}/`)));
  } catch {
    return false;
  }
};

const end = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has just ended, or is somebody else's.
  }
};
