/**
 * A profile as arguments of bubblewrap. Everything is read-only but what the profile opens; no capabilities, no other processes, a network
 * of its own, nothing that outlives the command. Later mounts cover earlier ones, so that the order is the policy.
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

export const toBwrapArguments = (options: BwrapOptions): readonly string[] => {
  const { profile, host, emptyFile, identity } = options;
  const { folder, writable, readOnly, network, temporaryBytes } = profile;
  /** Nobody needs much room but in a home and the temporary folder. */
  const sizeOf = (at: string): string =>
    String(
      Math.max(4096, Math.floor(at === "/tmp" || at === host.home || at === "/home" ? temporaryBytes : temporaryBytes / 16)),
    );
  const own = [...profile.readable, ...writable];
  const tools = [...host.tools, ...(network ? [] : host.caches)].filter(({ at }) => !own.some((each) => isInside(each, at)));
  // What is emptied or hidden may hold what is to be seen, and the other way round: the outer comes first.
  const mounts: Mount[] = [
    ...(host.home === undefined ? [] : [{ at: host.home, args: ["--dir", host.home] }]),
    ...host.emptied.map((at) => ({ at, args: ["--size", sizeOf(at), "--tmpfs", at] })),
    ...tools.map(({ from, at }) => ({ at, args: ["--ro-bind", from, at], isSeen: true })),
    ...host.hidden.map((hidden) => hide(hidden, emptyFile)),
    ...profile.readable.map((at) => ({ at, args: ["--ro-bind-try", at, at], isSeen: true })),
    ...(profile.copy ? [{ at: profile.copy.at, args: ["--bind", profile.copy.from, profile.copy.at], isSeen: true }] : []),
    ...writable.map((at) => ({ at, args: ["--bind", at, at], isSeen: true })),
    ...readOnly.map((at) => ({ at, args: ["--ro-bind-try", at, at], isSeen: true })),
    ...(profile.shown ?? []).map(({ path: at, from }) => ({ at, args: ["--ro-bind", from, at], isSeen: true })),
    ...profile.hidden.map((hidden) => hide(hidden, emptyFile)),
  ];
  const ordered = inOrder(mounts);
  const sockets = (profile.sockets ?? []).filter((socket) => isSeen(socket, ordered));
  return [
    ["--unshare-all", "--unshare-user", "--disable-userns"],
    identity === undefined ? [] : ["--uid", String(identity.uid), "--gid", String(identity.gid)],
    ["--hostname", "sandbox", "--cap-drop", "ALL", "--die-with-parent", "--new-session"],
    bind("/"),
    ["--dev", "/dev", "--size", sizeOf("/dev/shm"), "--tmpfs", "/dev/shm", "--proc", "/proc"],
    options.kernelFiles.flatMap(bind),
    ordered.flatMap(({ args }) => args),
    sockets.flatMap((at) => hide({ path: at, isFolder: false }, emptyFile).args),
    ["--chdir", folder, "--info-fd", String(options.infoFile)],
    options.filterFile === undefined ? [] : ["--seccomp", String(options.filterFile)],
  ].flat();
};

const bind = (file: string): readonly string[] => ["--ro-bind", file, file];

/** `isSeen`: what lies there outside is seen inside. */
type Mount = { readonly at: string; readonly args: readonly string[]; readonly isSeen?: boolean };

/** What is made anew for every sandbox. */
const OWN_FOLDERS = ["/dev", "/proc"];

/** By the innermost mount that holds it; without one it is a part of the machine, which is seen. */
const isSeen = (file: string, ordered: readonly Mount[]): boolean => {
  if (OWN_FOLDERS.some((folder) => isInside(folder, file))) return false;
  const holder = ordered.findLast(({ at }) => isInside(at, file));
  return holder === undefined || holder.isSeen === true;
};

const hide = ({ path: at, isFolder }: HiddenPath, emptyFile: string): Mount =>
  isFolder ? { at, args: ["--tmpfs", at, "--remount-ro", at] } : { at, args: ["--ro-bind", emptyFile, at] };

/** By depth, and at the same place as given; so what is said last of a place holds there, whatever is said of the places around it. */
const inOrder = (mounts: readonly Mount[]): readonly Mount[] =>
  mounts
    .map((mount, index) => ({ ...mount, index, depth: mount.at.split(path.sep).length }))
    .toSorted((a, b) => a.depth - b.depth || a.index - b.index)
    .filter(({ at, index }, _, all) => !all.some((later) => later.index > index && later.at === at));
