/**
 * How the kernel itself keeps a command to its number of processes, so that no fork bomb can outrun whoever watches. Limits of a user do not
 * bind root; a control group binds everybody, and so does a namespace that has only so many process ids.
 */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { release } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SETPRIV, UNSHARE } from "./system-programs.ts";

export type ProcessCap =
  /** The limit of the user, set by the command's own shell. */
  | { readonly type: "rlimit" }
  /** Groups are made in this folder. */
  | { readonly type: "cgroup"; readonly folder: string }
  /** A sandbox is made in a namespace with few process ids, of which there are never less than some hundred. */
  | { readonly type: "pid-namespace" }
  /** Nothing binds; the processes are counted every so often. */
  | { readonly type: "watched"; readonly reason: string };

/** What there is to be tried on this machine. */
export const findProcessCap = (): ProcessCap => {
  if (process.getuid?.() !== 0) return { type: "rlimit" };
  return (known ??= findCgroup() ?? tryPidNamespace());
};

let known: ProcessCap | undefined;

export type CappedGroup = {
  /** The program as it is started in the group. */
  readonly enter: (command: StartedProgram) => StartedProgram;
  /** To be called when all of it has ended. */
  readonly end: () => void;
};

type StartedProgram = { readonly file: string; readonly args: readonly string[] };

export type GroupCaps = { readonly processes: number; readonly memoryBytes: number };

export const createCappedGroup = (folder: string, { processes, memoryBytes }: GroupCaps): CappedGroup => {
  const group = path.join(folder, newName());
  if (made === 1) process.once("exit", () => groups.forEach(tryRemove));
  mkdirSync(group);
  groups.add(group);
  writeFileSync(path.join(group, MOST), String(processes));
  // Only there where the group counts memory too; it is watched everywhere.
  const memory = path.join(group, MOST_MEMORY);
  if (existsSync(memory)) writeFileSync(memory, String(memoryBytes));
  return {
    enter: ({ file, args }) => ({
      file: "/bin/sh",
      args: ["-c", ENTER, "sh", path.join(group, "cgroup.procs"), file, ...args],
    }),
    end: () => void removeGroup(group),
  };
};

const PREFIX = "retinue-";
const MOST = "pids.max";
const MOST_MEMORY = "memory.max";
/** Zero is whoever writes it. The program takes the place of the shell, so that it is our child. */
const ENTER = 'echo 0 > "$1" || exit 125; shift; exec "$@"';
let made = 0;
/** Processes of containers that share the folder may have the same id. */
const OURS = randomBytes(6).toString("hex");
const newName = (): string => `${PREFIX}${process.pid}-${OURS}_${(made += 1)}`;
/** Those that are there, removed with this process should it exit in between. */
const groups = new Set<string>();

const REMOVE_ROUNDS = 100;
const REMOVE_EVERY_MS = 50;

/** The last processes of a killed group take a moment to go. */
const removeGroup = async (group: string): Promise<void> => {
  for (let round = 0; round < REMOVE_ROUNDS; round += 1) {
    if (tryRemove(group)) return void groups.delete(group);
    await sleep(REMOVE_EVERY_MS, undefined, { ref: false });
  }
};

const tryRemove = (group: string): boolean => {
  try {
    rmdirSync(group);
    return true;
  } catch {
    return !existsSync(group);
  }
};

/** Our own group, or the nearest above it in which others can be made. */
const findCgroup = (): ProcessCap | undefined => {
  for (const folder of listCandidates())
    try {
      removeForgotten(folder);
      const group = path.join(folder, `${PREFIX}${process.pid}-${OURS}_try`);
      mkdirSync(group);
      try {
        // Where the controller is not on, the file is not there, and none can be made.
        writeFileSync(path.join(group, MOST), "64", { flag: "r+" });
        return { type: "cgroup", folder };
      } finally {
        tryRemove(group);
      }
    } catch {
      // Not here.
    }
  return undefined;
};

const PID_MAX = "/proc/sys/kernel/pid_max";
/** The kernel keeps these for itself. */
const LEAST_IDS = 301;
/** From here on the number of ids is one of the namespace; before, it was one of the whole machine. */
const KERNEL = [6, 14] as const;

/** It is the first process of the namespace, which no plain signal ends; so the program is its child, and can be asked to end. */
const LIMIT_IDS = `echo "$1" > ${PID_MAX} || exit 125; shift; "$@"; exit $?`;

/** The program in a namespace of its own, which ends with it, and with us. */
export const toFewIds = ({ file, args }: StartedProgram, mostProcesses: number): StartedProgram => ({
  file: SETPRIV,
  args: [
    "--pdeathsig",
    "KILL",
    "--",
    UNSHARE,
    "--pid",
    "--fork",
    "--kill-child=KILL",
    "--",
    "/bin/sh",
    "-c",
    LIMIT_IDS,
    "sh",
  ].concat(String(Math.max(LEAST_IDS, mostProcesses)), file, args),
});

const notEven = (reason: string): ProcessCap => ({
  type: "watched",
  reason: `root is bound by no limit of its own, no control group of processes can be made, and ${reason}`,
});

/** Changes the number by one in a namespace, and believes it only if that is all that has changed. */
export const tryPidNamespace = (): ProcessCap => {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  if (major < KERNEL[0] || (major === KERNEL[0] && minor < KERNEL[1])) return notEven(`Linux is older than ${KERNEL.join(".")}`);
  const before = readLines(PID_MAX)[0] ?? "";
  const other = Number(before) - 1;
  try {
    const { file, args } = toFewIds({ file: "/bin/cat", args: [PID_MAX] }, other);
    const inside = execFileSync(file, args, { encoding: "utf8", env: {}, timeout: 10_000, stdio: ["ignore", "pipe", "ignore"] });
    const isOwn = readLines(PID_MAX)[0] === before;
    if (!isOwn) writeFileSync(PID_MAX, before);
    return isOwn && inside.trim() === String(other) ? { type: "pid-namespace" } : notEven("process ids cannot be limited");
  } catch {
    return notEven("process ids cannot be limited");
  }
};

const listCandidates = (): readonly string[] => {
  const own = readLines("/proc/self/cgroup").map((line) => line.split(":"));
  return readLines("/proc/self/mountinfo").flatMap((line) => {
    const [left = "", right = ""] = line.split(" - ");
    const [, , , root = "/", mounted = ""] = left.split(" ");
    const [type = "", , options = ""] = right.split(" ");
    const isOne = type === "cgroup2" || (type === "cgroup" && options.split(",").includes("pids"));
    if (!isOne) return [];
    const [, , ours = "/"] =
      own.find(([number, controllers]) =>
        type === "cgroup2" ? number === "0" : (controllers ?? "").split(",").includes("pids"),
      ) ?? [];
    const below = path.relative(root, ours);
    return toFolderAndAbove(mounted, below.startsWith("..") ? "" : below);
  });
};

const toFolderAndAbove = (top: string, below: string): readonly string[] => {
  const folders: string[] = [];
  for (let at = path.join(top, below); ; at = path.dirname(at)) {
    if (existsSync(at)) folders.push(at);
    if (at === top || at === path.dirname(at)) return folders;
  }
};

/** Groups of processes of ours that were killed before they could remove them. One that is in use cannot be removed. */
const removeForgotten = (folder: string): void => {
  for (const name of readdirSync(folder)) {
    const [, pid] = /^retinue-(\d+)-\w+$/.exec(name) ?? [];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) tryRemove(path.join(folder, name));
  }
};

const readLines = (file: string): readonly string[] => {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch {
    return [];
  }
};
