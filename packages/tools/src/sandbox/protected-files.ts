/**
 * Finds what is protected by name in a folder as it is now, so that a sandbox can hide secrets and keep the rest from being written, and
 * takes out of the way what a command has put under such a name.
 */
import { lstat, readFile, realpath, rename } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import type { Protection } from "@retinue/runtime";
import { PROTECTED_GLOBS, protectionOf } from "@retinue/runtime";
import picomatch from "picomatch";
import { runRipgrep } from "../search/ripgrep.ts";
import { isPlainRepository } from "./plain-repository.ts";

export type ProtectedFile = {
  /** Relative to the folder, with forward slashes. */
  readonly file: string;
  /** A secret is not to be seen either; what is asked about may be written by a tool that asks. */
  readonly kind: "secret" | "denied" | "asked";
};

export type ProtectedSearch = {
  readonly folder: string;
  /** Globs of protected paths that the user has set free. */
  readonly unprotected?: readonly string[];
  readonly signal?: AbortSignal;
};

const NEVER = new AbortController().signal;
const TIME_LIMIT_MS = 20_000;
/** Each costs a mount, and the time they take together grows with the square of their number. */
const MAX_FOUND = 300;
/** More names than this are not even looked at. */
const MAX_LOOKED_AT = 20_000;

const GLOBS: readonly string[] = [
  ...PROTECTED_GLOBS.folders.filter((name) => name !== ".git").flatMap((name) => [`**/${name}`, `**/${name}/**`]),
  ...PROTECTED_GLOBS.files.map((name) => `**/${name}`),
  "**/.git",
  "**/.git/HEAD",
  "**/.git/commondir",
  "!**/node_modules",
  "!**/.git/{objects,lfs,refs,logs,modules,worktrees}",
];

/** The outermost protected path of each place. */
export const findProtected = async ({
  folder,
  unprotected = [],
  signal = NEVER,
}: ProtectedSearch): Promise<readonly ProtectedFile[]> => {
  const isFree = unprotected.length === 0 ? () => false : picomatch([...unprotected], { dot: true, nocase: true });
  const found = new Map<string, ProtectedFile>();
  const end = await runRipgrep({
    args: ["--files", "--null", "--hidden", "--no-ignore", ...GLOBS.map((glob) => `--iglob=${glob}`)],
    cwd: folder,
    separator: "\0",
    timeLimitMs: TIME_LIMIT_MS,
    signal,
    onRecord: (record) => {
      const root = isFree(record) ? undefined : toRoot(record.replaceAll(path.sep, "/"));
      if (root !== undefined) found.set(root.file, root);
      return found.size <= MAX_LOOKED_AT;
    },
  });
  const kept: ProtectedFile[] = [];
  for (const one of found.values()) if (one.kind !== "secret" || (await holdsSecret(path.join(folder, one.file)))) kept.push(one);
  const firm = kept.filter(({ kind }) => kind !== "asked");
  if (end !== "done" || firm.length > MAX_FOUND)
    throw new RetinueError(
      "tool_failed",
      end === "time"
        ? `The workspace could not be searched for secrets within ${TIME_LIMIT_MS / 1000} s, so that no command is run in it.`
        : `The workspace holds more than ${MAX_FOUND} secrets and other protected paths, so that no command is run in it.`,
      { hint: "The user has to choose a smaller folder as workspace, or set some of these paths free." },
    );
  return [...firm, ...kept.filter(({ kind }) => kind === "asked").slice(0, MAX_FOUND - firm.length)];
};

const toRoot = (file: string): ProtectedFile | undefined => {
  const names = file.split("/");
  for (let length = 1; length <= names.length; length += 1) {
    const root = names.slice(0, length).join("/");
    const protection = protectionOf(root);
    if (protection && protection.write !== "ask-unless-all")
      return { file: root, kind: toKind(protection, names[length - 1] ?? "") };
  }
  return undefined;
};

/** Commands may look into the repository, as git itself does. */
const toKind = ({ read, write }: Protection, name: string): ProtectedFile["kind"] =>
  read === "deny" && name.toLowerCase() !== ".git" ? "secret" : write === "ask" ? "asked" : "denied";

/** Package managers must find their settings, so that those without a key in them are left. */
const holdsSecret = async (file: string): Promise<boolean> => {
  if (path.basename(file).toLowerCase() !== ".npmrc") return true;
  const text = await readFile(file, "utf8").catch(() => "");
  return /(?:_authToken|_auth|_password)[^\S\n]*=[^\S\n]*(?!\$\{)\S/.test(text);
};

/** The mark that a name gets when what bears it is held back. */
const HELD = ".held-by-retinue";

/**
 * Renames what is protected now and was not there before, so that nobody runs or obeys it; nothing is deleted. A fresh repository without
 * hooks and settings of its own may stay.
 */
export const holdBack = async (
  search: ProtectedSearch & { readonly before: readonly ProtectedFile[] },
): Promise<readonly string[]> => {
  const known = new Set(search.before.map(({ file }) => file));
  const held: string[] = [];
  for (const { file, kind } of await findProtected(search)) {
    // A new secret of the command's own is no danger.
    if (kind === "secret" || known.has(file)) continue;
    const at = path.join(search.folder, file);
    if (path.basename(file).toLowerCase() === ".git" && (await isPlainRepository(at))) continue;
    if (await moveAside(search.folder, at)) held.push(file);
  }
  return held;
};

const moveAside = async (folder: string, at: string): Promise<boolean> => {
  // A link on the way would lead the renaming elsewhere.
  if (
    (await realpath(path.dirname(at)).catch(() => undefined)) !==
    path.join(await realpath(folder), path.relative(folder, path.dirname(at)))
  )
    return false;
  for (let number = 0; number < 1000; number += 1) {
    const aside = `${at}${HELD}${number === 0 ? "" : `-${number}`}`;
    if (await lstat(aside).catch(() => undefined)) continue;
    await rename(at, aside);
    return true;
  }
  return false;
};
