/**
 * What of the machine itself a sandboxed command does not see: homes, run-time sockets, temporary folders, and, for root, whatever others
 * may not read. Of a home only tools remain, so that a secret in a place nobody thought of is hidden too.
 */
import type { Dirent } from "node:fs";
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { isInside } from "@retinue/runtime";
import type { HiddenPath } from "./sandbox.ts";

export type HostPlaces = {
  readonly home: string | undefined;
  /** Emptied, and writable in private. */
  readonly emptied: readonly string[];
  /** Seen as they are, though they lie in what is emptied. */
  readonly tools: readonly SeenPlace[];
  /** Downloaded packages; seen where new ones cannot be had. */
  readonly caches: readonly SeenPlace[];
  readonly hidden: readonly HiddenPath[];
};

/** `from` is real; `at` may be a path by which links led there. */
export type SeenPlace = { readonly from: string; readonly at: string };

export type HostOptions = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether the command will run as root, to whom every file of root is open. */
  readonly isRoot: boolean;
  /** What else shall be emptied. */
  readonly emptied: readonly string[];
};

const EMPTIED = ["/home", "/root", "/run", "/var/run", "/tmp", "/var/tmp"];

/** Below a home. */
const TOOLS = [
  ".nvm",
  ".fnm",
  ".volta",
  ".asdf",
  ".local/bin",
  ".local/lib",
  ".local/share/fnm",
  ".local/share/mise",
  ".local/share/uv",
  ".local/share/pipx",
  ".cargo/bin",
  ".rustup",
  ".pyenv",
  ".rbenv",
  ".rvm",
  ".sdkman",
  ".goenv",
  ".deno/bin",
  ".bun/bin",
  ".dotnet",
  ".jenv",
  ".npm-global",
  "bin",
  "go/bin",
];

const CACHES = [
  ".cargo/registry",
  ".cargo/git",
  "go/pkg/mod",
  ".m2/repository",
  ".npm/_cacache",
  ".cache/pip",
  ".cache/ms-playwright",
];

/** Folders in which root may have files that only it reads, and how deep they are looked through. */
const ROOT_ONLY: readonly (readonly [folder: string, depth: number])[] = [
  ["/etc", 4],
  ["/", 1],
  ["/var", 1],
  ["/var/lib", 1],
  ["/var/spool", 1],
  ["/opt", 1],
  ["/srv", 1],
];

/** Kernel interfaces that root could read or write without any capability. */
const KERNEL_FOLDERS = ["/sys/kernel", "/sys/firmware", "/sys/fs/pstore", "/proc/acpi", "/proc/scsi"];
const KERNEL_FILES = ["/proc/kcore", "/proc/keys", "/proc/kmsg", "/proc/kpagecount", "/proc/kpageflags", "/proc/kallsyms"];
/** What the machine has written down about everybody. */
const LOG_FOLDER = "/var/log";

export const findHostPlaces = async ({ environment, isRoot, emptied: more }: HostOptions): Promise<HostPlaces> => {
  const home = await realFolder(environment["HOME"]);
  const named = [
    ...EMPTIED,
    environment["HOME"],
    environment["TMPDIR"],
    environment["XDG_RUNTIME_DIR"],
    environment["RETINUE_HOME"],
    ...more,
  ];
  const emptied: string[] = [];
  for (const folder of named) {
    const real = await realFolder(folder);
    // A home at the root of everything is none.
    if (real !== undefined && real !== "/" && !emptied.some((other) => isInside(other, real))) emptied.push(real);
  }
  const below = async (names: readonly string[]): Promise<readonly SeenPlace[]> => {
    if (home === undefined) return [];
    const found = await Promise.all(names.map((name) => realFolder(path.join(home, name))));
    return found.flatMap((folder) => (folder !== undefined && isInside(home, folder) ? { from: folder, at: folder } : []));
  };
  return {
    home,
    emptied,
    tools: withoutNested([...(await below(TOOLS)), ...(await findPathFolders({ value: environment["PATH"], emptied, home }))]),
    caches: await below(CACHES),
    hidden: isRoot ? await findRootOnly(emptied) : [],
  };
};

const withoutNested = (places: readonly SeenPlace[]): readonly SeenPlace[] =>
  places.filter(({ at }, index) => !places.some((other, place) => (other.at === at ? place < index : isInside(other.at, at))));

const realFolder = async (folder: string | undefined): Promise<string | undefined> => {
  if (folder === undefined || !path.isAbsolute(folder)) return undefined;
  const real = await realpath(folder).catch(() => undefined);
  return real !== undefined && (await stat(real)).isDirectory() ? real : undefined;
};

type PathSearch = { readonly value: string | undefined; readonly emptied: readonly string[]; readonly home: string | undefined };

/** Folders of PATH that would be gone; with `…/bin` comes the folder it belongs to, where that is the folder of one program. */
const findPathFolders = async ({ value, emptied, home }: PathSearch): Promise<readonly SeenPlace[]> => {
  const found: SeenPlace[] = [];
  for (const folder of (value ?? "").split(path.delimiter)) {
    const from = await realFolder(folder);
    if (from === undefined) continue;
    const at = path.normalize(folder).replace(/(?<=.)\/+$/, "");
    const isGone = emptied.some((other) => isInside(other, at) || isInside(other, from));
    // A whole home, or all of what is emptied, is no folder of programs.
    const isTooMuch = [...emptied, ...(home === undefined ? [] : [home])].some(
      (other) => isInside(from, other) || isInside(at, other),
    );
    if (!isGone || isTooMuch) continue;
    const isWhole = path.basename(from) === "bin" && path.basename(at) === "bin" && (await isProgram(path.dirname(from)));
    found.push(isWhole ? { from: path.dirname(from), at: path.dirname(at) } : { from, at });
  }
  return found;
};

/** A folder of one program has a `lib` beside its `bin`, and nothing that is hidden from a listing. */
const isProgram = async (folder: string): Promise<boolean> => {
  const names = await readdir(folder).catch((): string[] => []);
  return names.includes("lib") && !names.some((name) => name.startsWith("."));
};

const findRootOnly = async (emptied: readonly string[]): Promise<readonly HiddenPath[]> => {
  const hidden: HiddenPath[] = [];
  for (const [folder, depth] of ROOT_ONLY) await collectRootOnly({ folder, depth, emptied, hidden });
  for (const file of KERNEL_FILES) if (await lstat(file).catch(() => undefined)) hidden.push({ path: file, isFolder: false });
  for (const folder of [...KERNEL_FOLDERS, LOG_FOLDER])
    if (await lstat(folder).catch(() => undefined)) hidden.push({ path: folder, isFolder: true });
  return hidden;
};

const SKIPPED: ReadonlySet<string> = new Set(["/proc", "/sys", "/dev"]);

type RootSearch = {
  readonly folder: string;
  readonly depth: number;
  readonly emptied: readonly string[];
  readonly hidden: HiddenPath[];
};

const collectRootOnly = async ({ folder, depth, emptied, hidden }: RootSearch): Promise<void> => {
  const entries: readonly Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const file = path.join(folder, entry.name);
    if (SKIPPED.has(file) || emptied.includes(file) || hidden.some((known) => isInside(known.path, file))) continue;
    if (!entry.isFile() && !entry.isDirectory()) continue;
    const stats = await lstat(file).catch(() => undefined);
    if (!stats) continue;
    if ((stats.mode & 0o004) === 0) hidden.push({ path: file, isFolder: entry.isDirectory() });
    else if (entry.isDirectory() && depth > 1) await collectRootOnly({ folder: file, depth: depth - 1, emptied, hidden });
  }
};
