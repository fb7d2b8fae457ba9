/**
 * What of the machine every sandboxed command sees, by name: programs, libraries, and the settings that these need. Whatever is not named here, bound for
 * a tool chain or opened by the user does not exist inside.
 */
import type { Dirent } from "node:fs";
import { lstat, readdir, readlink, realpath } from "node:fs/promises";
import path from "node:path";
import { isInside } from "@retinue/runtime";
import type { HiddenPath } from "./sandbox.ts";

/** `from` is real; `at` may be a path by which links led there. */
export type SeenPlace = { readonly from: string; readonly at: string };

/** A symbolic link that is made again inside. */
export type SeenLink = { readonly at: string; readonly to: string };

export type SystemPlaces = { readonly seen: readonly SeenPlace[]; readonly links: readonly SeenLink[] };

const FOLDERS = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"];

/** Below /etc: users, names, certificates, time, locale, libraries, fonts, shells and language runtimes. */
const SETTINGS = [
  "alternatives",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "passwd",
  "group",
  "nsswitch.conf",
  "resolv.conf",
  "hosts",
  "host.conf",
  "gai.conf",
  "services",
  "protocols",
  "ssl",
  "pki",
  "crypto-policies",
  "ca-certificates",
  "ca-certificates.conf",
  "localtime",
  "timezone",
  "locale.alias",
  "locale.conf",
  "os-release",
  "lsb-release",
  "debian_version",
  "redhat-release",
  "alpine-release",
  "fonts",
  "mime.types",
  "magic",
  "terminfo",
  "inputrc",
  "shells",
  "profile",
  "profile.d",
  "bash.bashrc",
  "bashrc",
  "perl",
  "python3",
  "python3.*",
  "java-*",
  "java",
  "php",
  "R",
  "texmf",
  "dotnet",
  "ImageMagick-*",
  "xml",
  "sgml",
  "xdg",
];

const OTHERS = [
  "/var/lib/texmf",
  "/var/lib/ghostscript",
  "/var/cache/fontconfig",
  "/sys/devices/system",
  "/sys/fs/cgroup",
  "/sys/kernel/mm/transparent_hugepage",
];

/** Links by which the same is known under an older name. */
const OLD_NAMES = ["/var/run", "/var/lock"];

export const findSystemPlaces = async (): Promise<SystemPlaces> => {
  const seen: SeenPlace[] = [];
  const links: SeenLink[] = [];
  const top = (await entriesOf("/")).filter((entry) => entry.isSymbolicLink()).map(({ name }) => `/${name}`);
  for (const at of new Set([...top, ...FOLDERS, ...OLD_NAMES])) {
    const stats = await lstat(at).catch(() => undefined);
    if (stats?.isSymbolicLink() === true) links.push({ at, to: await readlink(at) });
    else if (stats?.isDirectory() === true && FOLDERS.includes(at)) seen.push({ from: at, at });
  }
  const settings = (await entriesOf("/etc"))
    .map(({ name }) => name)
    .filter((name) => SETTINGS.some((each) => isNamed(name, each)));
  for (const at of [...settings.map((name) => path.join("/etc", name)), ...OTHERS]) {
    const from = await realpath(at).catch(() => undefined);
    if (from === undefined) continue;
    // Some programs ask a link for its target, as for the name of the time zone.
    if (from !== at && seen.some((place) => isInside(place.at, from))) links.push({ at, to: from });
    else seen.push({ from, at });
  }
  return { seen, links };
};

const isNamed = (name: string, pattern: string): boolean =>
  pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

const entriesOf = (folder: string): Promise<readonly Dirent[]> => readdir(folder, { withFileTypes: true }).catch(() => []);

/** How deep a folder of the system is looked through for what only root may read. */
const DEPTH = 4;
const LOOKED_THROUGH = ["/etc", "/usr/local", "/var", "/opt"];
/** Programs that others may run but not read are no secret. */
const PROGRAMS = /\/s?bin$/;

/** Kernel interfaces that root could read or write without any capability. */
const KERNEL_FOLDERS = ["/proc/acpi", "/proc/scsi"];
const KERNEL_FILES = ["/proc/kcore", "/proc/keys", "/proc/kmsg", "/proc/kpagecount", "/proc/kpageflags", "/proc/kallsyms"];

/** For a command that runs as root: what others may not read of the places that are seen. */
export const findRootOnly = async (seen: readonly SeenPlace[]): Promise<readonly HiddenPath[]> => {
  const hidden: HiddenPath[] = [];
  for (const { at } of [...seen, { at: "/usr/local" }])
    if (LOOKED_THROUGH.some((folder) => isInside(folder, at))) await collectRootOnly(at, DEPTH, hidden);
  for (const file of KERNEL_FILES) if (await lstat(file).catch(() => undefined)) hidden.push({ path: file, isFolder: false });
  for (const folder of KERNEL_FOLDERS)
    if (await lstat(folder).catch(() => undefined)) hidden.push({ path: folder, isFolder: true });
  return hidden;
};

const collectRootOnly = async (at: string, depth: number, hidden: HiddenPath[]): Promise<void> => {
  const stats = await lstat(at).catch(() => undefined);
  if (!stats || (!stats.isFile() && !stats.isDirectory())) return;
  if ((stats.mode & 0o004) === 0) return void hidden.push({ path: at, isFolder: stats.isDirectory() });
  if (!stats.isDirectory() || depth === 0 || PROGRAMS.test(at)) return;
  for (const entry of await entriesOf(at))
    if (entry.isFile() || entry.isDirectory()) await collectRootOnly(path.join(at, entry.name), depth - 1, hidden);
};
