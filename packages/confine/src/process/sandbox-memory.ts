/**
 * The memory of a sandbox as a whole, where no control group counts it: of its processes what is theirs alone and their share of what they have in common,
 * and what its private file systems hold. Files there are counted too, since each takes memory of the kernel that nobody is charged for.
 */
import { readdirSync, readFileSync, readlinkSync, statfsSync } from "node:fs";

export type SandboxUse = { readonly processes: number; readonly memoryBytes: number; readonly files: number };

/** `folders` are the private file systems, as they are called inside. */
export const measureSandbox = (namespace: number, folders: readonly string[]): SandboxUse => {
  const wanted = `pid:[${namespace}]`;
  const pids = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && isIn(pid, wanted));
  let memoryBytes = 0;
  for (const pid of pids) memoryBytes += memoryOf(pid);
  const { bytes, files } = measureFolders(pids, folders);
  return { processes: pids.length, memoryBytes: memoryBytes + bytes, files };
};

const isIn = (pid: string, wanted: string): boolean => {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`) === wanted;
  } catch {
    // It has ended, or is none of ours.
    return false;
  }
};

const memoryOf = (pid: string): number => {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    return kilobytes(status, "RssAnon") + kilobytes(status, "VmSwap") + (kilobytes(status, "RssShmem") === 0 ? 0 : sharedOf(pid));
  } catch {
    return 0;
  }
};

/** What several map is divided among them. */
const sharedOf = (pid: string): number => kilobytes(readFileSync(`/proc/${pid}/smaps_rollup`, "latin1"), "Pss_Shmem");

const kilobytes = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s*(\\d+)`, "m").exec(text)?.[1] ?? 0) * 1024;

/** Seen through any process inside: no command can mount something else there. A file that is mapped as well is then counted twice. */
const measureFolders = (
  pids: readonly string[],
  folders: readonly string[],
): { readonly bytes: number; readonly files: number } => {
  for (const pid of pids) {
    try {
      const all = folders.map((folder) => statfsSync(`/proc/${pid}/root${folder}`));
      return {
        bytes: all.reduce((sum, { blocks, bfree, bsize }) => sum + (blocks - bfree) * bsize, 0),
        files: all.reduce((sum, { files, ffree }) => sum + files - ffree, 0),
      };
    } catch {
      // It has ended meanwhile; the next one sees the same.
    }
  }
  return { bytes: 0, files: 0 };
};
