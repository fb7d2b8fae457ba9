/** A file system with as much room as a test gives it: a tmpfs in a mount namespace of its own, where the machine lets us have one. */
import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";

/** Whether this machine lets us mount. */
export const hasSmallDisks = (): boolean => {
  try {
    execFileSync("unshare", ["--mount", "sh", "-c", "mount -t tmpfs tmpfs /mnt"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

export type SmallDiskOptions = {
  /** Copied to the disk, into one folder. */
  readonly files: readonly string[];
  /** What is left beside them. */
  readonly freeBytes: number;
  /** A shell command; `$DISK` is the folder. */
  readonly command: string;
};

/** Runs a command beside copies of files on a disk that has little more room than they take, and gives what the command said. */
export const runOnSmallDisk = async ({ files, freeBytes, command }: SmallDiskOptions): Promise<string> => {
  const [first = ""] = files;
  const disk = join(dirname(first), `${basename(first)}.disk`);
  mkdirSync(disk, { recursive: true });
  const page = 4096;
  const taken = files.reduce((sum, file) => sum + Math.ceil(statSync(file).size / page) * page, 0);
  const script = `mount -t tmpfs -o size=${taken + freeBytes} tmpfs "$DISK" && cp ${files.map((file) => `'${file}'`).join(" ")} "$DISK" && ${command}`;
  const { stdout } = await promisify(execFile)("unshare", ["--mount", "sh", "-c", script], {
    env: { ...process.env, DISK: disk },
  });
  return stdout;
};
