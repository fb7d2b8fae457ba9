/** Stops a process at an exact system call: strace kills it there, or makes the call fail. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

/** Everything that changes a file or brings it to the disk. */
const WRITING_CALLS = [
  "write",
  "writev",
  "pwrite64",
  "pwritev",
  "pwritev2",
  "fsync",
  "fdatasync",
  "sync_file_range",
  "ftruncate",
  "truncate",
  "fallocate",
  "copy_file_range",
  "sendfile",
  "rename",
  "renameat",
  "renameat2",
  "link",
  "linkat",
  "unlink",
  "unlinkat",
] as const;

/** The `nth` call of this name on this file, given from the folder of the run. */
export type CallPoint = { readonly call: string; readonly nth: number; readonly file: string };

// Not `--seccomp-bpf`, which would be faster: under it nothing is injected.
const COMMON = ["--follow-forks", "--quiet=all", "--decode-fds=path"];

/** A machine may have no strace, or may not let one process trace another. */
export const canTrace = (): boolean =>
  spawnSync("strace", [...COMMON, "--trace=fsync", "--output=/dev/null", "true"]).status === 0;

/** Writes down every call that changes a file. */
export const toRecordingArguments = (output: string): readonly string[] => [
  ...COMMON,
  `--trace=${WRITING_CALLS.join(",")}`,
  `--output=${output}`,
];

/** Only what touches this file is counted, so that neither the loading of modules nor another program shifts the point. */
const toTraceOf = ({ call, file }: CallPoint, folder: string): readonly string[] => [
  `--trace=${call}`,
  `--trace-path=${path.join(folder, file)}`,
];

export const toKillingArguments = (point: CallPoint, folder: string): readonly string[] => [
  ...COMMON,
  "--output=/dev/null",
  ...toTraceOf(point, folder),
  `--inject=${point.call}:signal=SIGKILL:when=${point.nth}`,
];

export type Failing = {
  readonly error: string;
  /** This call and all that follow, or this call alone. */
  readonly from: boolean;
  /** Says afterwards that it was made to fail. */
  readonly output: string;
};

export const toFailingArguments = (point: CallPoint, folder: string, { error, from, output }: Failing): readonly string[] => [
  ...COMMON,
  `--output=${output}`,
  ...toTraceOf(point, folder),
  `--inject=${point.call}:error=${error}:when=${point.nth}${from ? "+" : ""}`,
];

/** Whether a call was made to fail. */
export const wasInjected = (output: string): boolean => readFileSync(output, "utf8").includes("(INJECTED)");

/** What git and others write is theirs; where runs are killed meanwhile, a counter inside the process says. */
const IS_OTHERS = /^(?:workspace|worktrees|template)(?:\/|$)/;

/**
 * The points of a recording that lie in a folder, in their order. strace counts for each thread; a call of another thread than the main one
 * could not be met exactly, so that there may be none.
 */
export const readCallPoints = (recording: string, folder: string): readonly CallPoint[] => {
  const counts = new Map<string, number>();
  const points: CallPoint[] = [];
  let main: string | undefined;
  for (const line of readFileSync(recording, "utf8").split("\n")) {
    const [, thread, call] = /^(\d+) +(\w+)\(/.exec(line) ?? [];
    if (thread === undefined || call === undefined) continue;
    main ??= thread;
    const [, rest] = line.split(folder);
    if (rest === undefined) continue;
    const file = (rest.split(/[>"]/)[0] ?? "").replace(/^\//, "") || ".";
    if (IS_OTHERS.test(file)) continue;
    if (thread !== main) throw new Error(`A thread beside the main one writes: ${line}`);
    const key = `${call} ${file}`;
    const nth = (counts.get(key) ?? 0) + 1;
    counts.set(key, nth);
    points.push({ call, nth, file });
  }
  return points;
};
