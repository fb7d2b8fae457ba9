/**
 * A profile as arguments of bubblewrap. The root is empty, and holds what is bound by name: the system, tool chains, the project. All of it is read-only but
 * what the profile opens; no capabilities, no other processes, a network of its own, nothing that outlives the command. Later mounts cover earlier ones, so
 * that the order is the policy.
 */
import path from "node:path";
import { isInside } from "@retinue/runtime";
import type { HostPlaces } from "./host-places.ts";
import type { HiddenPath, SandboxProfile } from "./sandbox.ts";

export type BwrapOptions = {
  readonly profile: SandboxProfile;
  readonly host: HostPlaces;
  /** An empty file that can be put over others. */
  readonly emptyFile: string;
  /** Who the command seems to be inside, where that is another than outside. */
  readonly identity: { readonly uid: number; readonly gid: number } | undefined;
  /** Numbers of open files: where the filter is read from, and where the sandbox tells its process. */
  readonly filterFile: number | undefined;
  readonly infoFile: number;
  /** Of the kernel's files those that are there. */
  readonly kernelFiles: readonly string[];
};

export type BwrapArguments = {
  readonly args: readonly string[];
  /** Whether what lies at a path outside is what a command finds there, or is private to it. */
  readonly isSeen: (file: string) => boolean;
  /** Where its private file systems are. */
  readonly temporary: readonly string[];
};

export const toBwrapArguments = (options: BwrapOptions): BwrapArguments => {
  const { profile, host, emptyFile, identity } = options;
  const { folder, writable, readOnly, network, temporaryBytes } = profile;
  /** Nobody needs much room but in a home and the temporary folder. */
  const sizeOf = (at: string): string =>
    String(Math.max(4096, Math.floor(at === "/tmp" || at === host.home ? temporaryBytes : temporaryBytes / 16)));
  const own = [...profile.readable, ...writable];
  const tools = [...host.tools, ...(network ? [] : host.caches)].filter(({ at }) => !own.some((each) => isInside(each, at)));
  // A tool chain may be removed while we work; what hides or replaces something is never left out.
  const seen: readonly Mount[] = [
    ...[...host.system, ...tools].map(({ from, at }) => ({ at, args: ["--ro-bind-try", from, at], isSeen: true })),
    ...profile.readable.map((at) => ({ at, args: ["--ro-bind-try", at, at], isSeen: true })),
  ];
  const scratch = [...new Set(["/tmp", "/var/tmp", ...(host.home === undefined ? [] : [host.home])])];
  // What is not seen at all need not be emptied.
  const emptied = host.emptied.filter(
    (at) => !scratch.includes(at) && seen.some((mount) => mount.at !== at && isInside(mount.at, at)),
  );
  // What is emptied or hidden may hold what is to be seen, and the other way round: the outer comes first.
  const mounts: Mount[] = [
    ...[...scratch, ...emptied].map((at) => ({ at, args: ["--size", sizeOf(at), "--tmpfs", at] })),
    // Within what is bound, a link is there already.
    ...host.links
      .filter(({ at }) => ![...seen.map((mount) => mount.at), ...writable].some((each) => isInside(each, at)))
      .map(({ at, to }) => ({ at, args: ["--symlink", to, at] })),
    ...seen,
    ...host.hidden.map((hidden) => hide(hidden, emptyFile)),
    ...(profile.copy ? [{ at: profile.copy.at, args: ["--bind", profile.copy.from, profile.copy.at], isSeen: true }] : []),
    ...writable.map((at) => ({ at, args: ["--bind", at, at], isSeen: true })),
    ...readOnly.map((at) => ({ at, args: ["--ro-bind-try", at, at], isSeen: true })),
    ...(profile.shown ?? []).map(({ path: at, from }) => ({ at, args: ["--ro-bind", from, at], isSeen: true })),
    ...profile.hidden.map((hidden) => hide(hidden, emptyFile)),
  ];
  const ordered = inOrder(mounts);
  const sockets = (profile.sockets ?? []).filter((socket) => isSeen(socket, ordered));
  const all = [
    ["--unshare-all", "--unshare-user", "--disable-userns"],
    identity === undefined ? [] : ["--uid", String(identity.uid), "--gid", String(identity.gid)],
    ["--hostname", "sandbox", "--cap-drop", "ALL", "--die-with-parent", "--new-session"],
    ["--dev", "/dev", "--size", sizeOf("/dev/shm"), "--tmpfs", "/dev/shm", "--proc", "/proc"],
    options.kernelFiles.flatMap(bind),
    ordered.flatMap(({ args }) => args),
    sockets.flatMap((at) => hide({ path: at, isFolder: false }, emptyFile).args),
    // The root and the folder of devices are file systems of bubblewrap's own, and have no bound.
    ["--dir", "/run", "--remount-ro", "/dev", "--remount-ro", "/"],
    ["--chdir", folder, "--info-fd", String(options.infoFile)],
    options.filterFile === undefined ? [] : ["--seccomp", String(options.filterFile)],
  ].flat();
  const temporary = ["/dev/shm", ...ordered.filter(({ args: [flag] }) => flag === "--size").map(({ at }) => at)];
  return {
    args: all,
    temporary,
    isSeen: (file) => isOwn(file) || isSeen(file, ordered) || host.links.some(({ at }) => isInside(at, file)),
  };
};

const bind = (file: string): readonly string[] => ["--ro-bind", file, file];

/** `isSeen`: what lies there outside is seen inside. */
type Mount = { readonly at: string; readonly args: readonly string[]; readonly isSeen?: boolean };

/** What is made anew for every sandbox. */
const OWN_FOLDERS = ["/dev", "/proc"];

/** Made anew for every command, or of no interest outside. */
const isOwn = (file: string): boolean => [...OWN_FOLDERS, "/tmp", "/var/tmp"].some((folder) => isInside(folder, file));

/** By the innermost mount that holds it; without one it is not there. */
const isSeen = (file: string, ordered: readonly Mount[]): boolean => {
  if (OWN_FOLDERS.some((folder) => isInside(folder, file))) return false;
  const holder = ordered.findLast(({ at }) => isInside(at, file));
  return holder?.isSeen === true;
};

const hide = ({ path: at, isFolder }: HiddenPath, emptyFile: string): Mount =>
  isFolder ? { at, args: ["--tmpfs", at, "--remount-ro", at] } : { at, args: ["--ro-bind", emptyFile, at] };

/** By depth, and at the same place as given; so what is said last of a place holds there, whatever is said of the places around it. */
const inOrder = (mounts: readonly Mount[]): readonly Mount[] =>
  mounts
    .map((mount, index) => ({ ...mount, index, depth: mount.at.split(path.sep).length }))
    .toSorted((a, b) => a.depth - b.depth || a.index - b.index)
    .filter(({ at, index }, _, all) => !all.some((later) => later.index > index && later.at === at));
