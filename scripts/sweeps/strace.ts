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

/** The `nth` call of this name that the process makes. */
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

export const toKillingArguments = ({ call, nth }: CallPoint): readonly string[] => [
  ...COMMON,
  "--output=/dev/null",
  `--trace=${call}`,
  `--inject=${call}:signal=SIGKILL:when=${nth}`,
];

/** `from` this call on, or at this call alone. `output` then says that it was made to fail. */
export const toFailingArguments = (
  { call, nth }: CallPoint,
  { error, from, output }: { readonly error: string; readonly from: boolean; readonly output: string },
): readonly string[] => [
  ...COMMON,
  `--output=${output}`,
  `--trace=${call}`,
  `--inject=${call}:error=${error}:when=${nth}${from ? "+" : ""}`,
];

/** Whether a call was made to fail. */
export const wasInjected = (output: string): boolean => readFileSync(output, "utf8").includes("(INJECTED)");

/**
 * The points of a recording that lie in a folder, in their order. strace counts each kind of call and each thread for itself; a call of
 * another thread than the main one could not be met exactly, so that there may be none.
 */
export const readCallPoints = (recording: string, folder: string): readonly CallPoint[] => {
  const counts = new Map<string, number>();
  const points: CallPoint[] = [];
  let main: string | undefined;
  for (const line of readFileSync(recording, "utf8").split("\n")) {
    const [, thread, call] = /^(\d+) +(\w+)\(/.exec(line) ?? [];
    if (thread === undefined || call === undefined) continue;
    main ??= thread;
    const file = line.includes(folder) ? (line.split(folder)[1]?.split(/[>"]/)[0] ?? "") : undefined;
    if (thread !== main) {
      if (file !== undefined) throw new Error(`A thread beside the main one writes: ${line}`);
      continue;
    }
    const nth = (counts.get(call) ?? 0) + 1;
    counts.set(call, nth);
    if (file !== undefined) points.push({ call, nth, file: path.basename(file) || "." });
  }
  return points;
};
