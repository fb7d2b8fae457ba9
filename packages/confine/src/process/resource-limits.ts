/** What a command may use of the machine before it is ended. */
import { existsSync } from "node:fs";
import { totalmem } from "node:os";

export type ResourceLimits = {
  /** Processes and threads at the same time. */
  readonly processes: number;
  /** Of all its processes together. */
  readonly memoryBytes: number;
  /** Of one file. */
  readonly fileBytes: number;
  /** What it may put into its private temporary folders. */
  readonly temporaryBytes: number;
  /** How many files it may have there. */
  readonly temporaryFiles: number;
  /** What must stay free on the disk of the workspace. */
  readonly freeDiskBytes: number;
};

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

export const createResourceLimits = (given: Partial<ResourceLimits> = {}): ResourceLimits => {
  const constrained = process.constrainedMemory();
  const memory = constrained > 0 && constrained < totalmem() ? constrained : totalmem();
  return {
    processes: 2048,
    memoryBytes: Math.max(GIB, Math.floor(memory * 0.6)),
    fileBytes: 8 * GIB,
    temporaryBytes: Math.min(2 * GIB, Math.floor(memory / 4)),
    temporaryFiles: 500_000,
    freeDiskBytes: 512 * MIB,
    ...given,
  };
};

const SHELL = ["/bin/bash", "/usr/bin/bash", "/bin/sh"].find((file) => existsSync(file)) ?? "/bin/sh";

/** Whatever this process was itself started with stays out, but for those that are named. Other shells than bash count to nine only. */
const toClosing = (keep: readonly number[]): string =>
  `for file in /proc/self/fd/*; do number=\${file##*/}; case $number in ${[0, 1, 2, ...keep].join("|")}) ;; ${
    SHELL.endsWith("bash") ? "[0-9]*" : "[0-9]"
  }) eval "exec $number>&-" ;; esac; done`;

/**
 * A program for a shell that sets what the kernel itself keeps, offers itself first when memory runs out, lets go of all open files, and goes
 * on as the command. A limit that cannot be set is not a reason to fail: most of them are also watched.
 */
export const toLimitedArguments = (
  { processes, fileBytes }: ResourceLimits,
  { file, args }: { readonly file: string; readonly args: readonly string[] },
  { first = "", before, keep }: { readonly first?: string; readonly before: string; readonly keep: readonly number[] },
): { readonly file: string; readonly args: readonly string[] } => {
  const lines = [
    "ulimit -c 0",
    // In the half kilobytes of POSIX; and processes are u to some shells and p to others.
    `ulimit -f ${Math.floor(fileBytes / 512)}`,
    `ulimit -u ${processes} || ulimit -p ${processes}`,
    "echo 1000 > /proc/self/oom_score_adj",
  ];
  const script = [first, ...lines.map((line) => `{ ${line}; } 2>/dev/null`), toClosing(keep), before, 'exec "$@"'].join("\n");
  return { file: SHELL, args: [...(SHELL.endsWith("bash") ? ["--posix"] : []), "-c", script, "sh", file, ...args] };
};
