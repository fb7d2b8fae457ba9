/**
 * Git as it is started inside the sandbox: with the system to read and run it from, the folders that the call is for, and nothing else of the machine, no
 * home, no network. It is one start of bubblewrap and no more, since git is called often.
 */
import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import { isInside } from "@retinue/runtime";
import type { Channel } from "../process/channel.ts";
import type { Command } from "../process/run-command.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { createSeccompFilter } from "../sandbox/seccomp-filter.ts";

/** What of the machine a call of git sees. All paths are absolute and real. */
export type GitBounds = {
  readonly cwd: string;
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Files that are seen at another place than they lie. */
  readonly shown: readonly { readonly from: string; readonly at: string }[];
  /** All that the user may read is seen, for the one call that asks for the user's own settings. */
  readonly isOfUser?: boolean;
};

export type ConfinedGit = {
  readonly program: string;
  readonly args: readonly string[];
  readonly channels: readonly Channel[];
  readonly owner: Command["owner"];
};

export type ConfineGit = {
  readonly sandbox: Extract<Sandbox, { backend: "bwrap" }>;
  /** Where git lies, followed through links. */
  readonly program: string;
  readonly args: readonly string[];
  /** Lines for sh that run in the place of git, with git's path and then the arguments as theirs: several calls of git in one sandbox. */
  readonly script?: string | undefined;
  readonly bounds: GitBounds;
};

const FILTER_FILE = 3;
/** A socket may lie in a workspace, and git needs none. */
let filter: Buffer | undefined;

export const toConfinedGit = ({ sandbox, program, args, script, bounds }: ConfineGit): ConfinedGit => {
  filter ??= createSeccompFilter({ deniesUnixSockets: true });
  const bound = [...bounds.readable, ...bounds.writable];
  if (bound.some((folder) => isInside(folder, "/etc")))
    throw new RetinueError("sandbox_unavailable", "Git is not run in a folder that holds the whole system.", {
      hint: "The user has to choose the folder of a project.",
    });
  const owner = findOwner(bound);
  return {
    program: sandbox.program,
    args: [
      // Its user stays the same inside: files that seem to be another's would be read anew by every call.
      ["--unshare-all", "--unshare-user", "--disable-userns"],
      ["--hostname", "sandbox", "--cap-drop", "ALL", "--die-with-parent", "--new-session"],
      bounds.isOfUser === true ? ["--ro-bind", "/", "/"] : [...systemMounts(), ...programMounts(program)],
      // The machine's own devices: what runs here is git alone, with settings that start nothing, and it changes the modes of no device.
      ["--dev", "/dev", "--proc", "/proc"],
      toMounts(bounds),
      // What is not mounted is a file system of bubblewrap's own, which nobody needs to write.
      bounds.isOfUser === true ? [] : ["--remount-ro", "/"],
      ["--chdir", bounds.cwd],
      filter === undefined ? [] : ["--seccomp", String(FILTER_FILE)],
      ["--", ...(script === undefined ? [] : ["/bin/sh", "-c", script, "sh"]), program, ...args],
    ].flat(),
    channels: filter === undefined ? [] : [{ type: "give", bytes: filter }],
    owner,
  };
};

/** The outer comes first, and at the same place what may be written last. */
const toMounts = ({ readable, writable, shown, cwd }: GitBounds): readonly string[] => [
  ...[
    ...readable.map((at) => ({ at, args: ["--ro-bind-try", at, at] })),
    ...writable.map((at) => ({ at, args: ["--bind", at, at] })),
  ]
    .map((mount, index) => ({ ...mount, index, depth: mount.at === "/" ? 0 : mount.at.split(path.sep).length }))
    .toSorted((a, b) => a.depth - b.depth || a.index - b.index)
    .flatMap((mount) => mount.args),
  ...shown.flatMap(({ from, at }) => ["--ro-bind-try", from, at]),
  // Where only a part of the repository is seen, the folder above it has to be there.
  ...(readable.includes(cwd) || writable.includes(cwd) ? [] : ["--dir", cwd]),
];

const SYSTEM_FOLDERS = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"];
/** By which libraries are found, and the time of day is told. */
const SYSTEM_FILES = ["/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime"];

let mounts: readonly string[] | undefined;

/** The same for the whole life of the process. */
const systemMounts = (): readonly string[] =>
  (mounts ??= [
    ...SYSTEM_FOLDERS.flatMap((at) => {
      const stats = lstatSync(at, { throwIfNoEntry: false });
      if (stats === undefined) return [];
      return stats.isSymbolicLink() ? ["--symlink", readlinkSync(at), at] : ["--ro-bind", at, at];
    }),
    ...SYSTEM_FILES.filter((at) => existsSync(at)).flatMap((at) => ["--ro-bind", realpathSync(at), at]),
  ]);

/** What belongs to a git that does not lie among the system's programs. */
const programMounts = (program: string): readonly string[] => {
  if (SYSTEM_FOLDERS.some((folder) => isInside(folder, program))) return [];
  const folder = path.dirname(program);
  const beside = ["libexec", "lib", "lib64", "share"].map((name) => path.join(path.dirname(folder), name));
  return [folder, ...(path.basename(folder) === "bin" ? beside : [])].flatMap((at) => ["--ro-bind-try", at, at]);
};

/** Root works in another's folders as that other, who owns what is made there. */
const findOwner = (folders: readonly string[]): Command["owner"] => {
  if (process.getuid?.() !== 0) return undefined;
  const owners: { readonly uid: number; readonly gid: number }[] = [];
  for (const folder of folders) {
    const stats = lstatSync(folder, { throwIfNoEntry: false });
    if (stats) owners.push({ uid: stats.uid, gid: stats.gid });
  }
  const [first] = owners;
  return first !== undefined && first.uid !== 0 && owners.every(({ uid }) => uid === first.uid) ? first : undefined;
};
