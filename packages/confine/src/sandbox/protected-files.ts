/**
 * Finds what is protected by name in a folder as it is now, links and empty folders too, so that a sandbox can hide secrets and keep the
 * rest from being written, and takes out of the way what a command has put under such a name.
 */
import { execFile } from "node:child_process";
import { lstat, readFile, readlink, realpath, rename } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { RetinueError } from "@retinue/protocol";
import type { Protection } from "@retinue/runtime";
import { PROTECTED_GLOBS, protectionOf } from "@retinue/runtime";
import picomatch from "picomatch";
import { isPlainRepository } from "./plain-repository.ts";

export type ProtectedFile = {
  /** Relative to the folder, with forward slashes. */
  readonly file: string;
  /** A secret is not to be seen either; what is asked about may be written by a tool that asks. */
  readonly kind: "secret" | "denied" | "asked";
  readonly type: "file" | "folder" | "link";
  /** Which one it is, wherever it is moved to. */
  readonly identity: string;
};

export type ProtectedSearch = {
  readonly folder: string;
  /** Globs of protected paths that the user has set free. */
  readonly unprotected?: readonly string[];
  readonly signal?: AbortSignal;
};

const TIME_LIMIT_MS = 20_000;
const MAX_LIST_BYTES = 8 * 1024 * 1024;
/** Each costs a mount, and the time they take together grows with the square of their number. */
const MAX_FOUND = 300;

/** The outermost protected path of each place, and the secrets below it. */
export const findProtected = async (search: ProtectedSearch): Promise<readonly ProtectedFile[]> => {
  const { folder, unprotected = [] } = search;
  const isFree = unprotected.length === 0 ? () => false : picomatch([...unprotected], { dot: true, nocase: true });
  const names = await listNames(search);
  const kinds = new Map(names.filter((file) => !isFree(file)).flatMap(toProtected));
  const found: ProtectedFile[] = [];
  for (const [file, kind] of kinds) {
    const known = await identify(path.join(folder, file));
    if (known?.type !== "link" && protectionOf(file) === undefined) continue;
    if (known && (kind !== "secret" || known.type !== "file" || (await holdsSecret(path.join(folder, file)))))
      found.push({ file, kind, ...known });
  }
  const firm = found.filter(({ kind }) => kind !== "asked");
  if (firm.length > MAX_FOUND)
    throw notRun(`The workspace holds ${firm.length} secrets and other protected paths, and ${MAX_FOUND} is the most.`);
  return [...firm, ...found.filter(({ kind }) => kind === "asked").slice(0, MAX_FOUND - firm.length)];
};

const notRun = (why: string, cause?: unknown): RetinueError =>
  new RetinueError("tool_failed", `${why} No command is run in it.`, {
    hint: "The user has to choose a smaller folder as workspace, or set some of these paths free.",
    cause,
  });

/** `a{b,c}` → `ab`, `ac`. */
const expandBraces = (glob: string): readonly string[] => {
  const [, before, choices, after] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(glob) ?? [];
  if (before === undefined || choices === undefined || after === undefined) return [glob];
  return choices.split(",").flatMap((choice) => expandBraces(before + choice + after));
};

/** Packages of others have keys and settings too, which are not the user's. */
const PASSED_OVER = ["-name", "node_modules", "-o", "-name", "site-packages", "-o", "-path", "*/.git/*"];

const PROTECTED_NAMES: readonly string[] = [...PROTECTED_GLOBS.folders, ...PROTECTED_GLOBS.files].flatMap(expandBraces);

/** Folders in which only some names are protected; as a link such a folder brings these names from anywhere. */
const HALF_PROTECTED: ReadonlySet<string> = new Set(
  PROTECTED_NAMES.filter((name) => name.includes("/")).flatMap((name) => name.slice(0, name.indexOf("/"))),
);

const TESTS: readonly string[] = [...PROTECTED_NAMES, ...HALF_PROTECTED].flatMap((name, index) => [
  ...(index === 0 ? [] : ["-o"]),
  ...(name.includes("/") ? ["-ipath", `*/${name}`] : ["-iname", name]),
]);

const FIND = ["(", ...PASSED_OVER, ")", "-prune", "-o", "(", ...TESTS, ")", "-print0"];

const run = promisify(execFile);

/** All names that may be protected, relative to the folder. Nothing is followed. */
const listNames = async ({ folder, signal }: ProtectedSearch): Promise<readonly string[]> => {
  try {
    const { stdout } = await run("/usr/bin/find", [".", ...FIND], {
      cwd: folder,
      env: { LC_ALL: "C" },
      timeout: TIME_LIMIT_MS,
      killSignal: "SIGKILL",
      maxBuffer: MAX_LIST_BYTES,
      ...(signal === undefined ? {} : { signal }),
    });
    return toNames(stdout);
  } catch (thrown) {
    signal?.throwIfAborted();
    // Folders that may not be read are told by the exit code, and hold nothing that the command could read.
    if (isPartly(thrown)) return toNames(thrown.stdout);
    throw notRun("The workspace could not be searched for secrets.", thrown);
  }
};

const toNames = (list: string): readonly string[] =>
  list.split("\0").flatMap((name) => (name.startsWith("./") ? name.slice(2) : []));

const isPartly = (thrown: unknown): thrown is { readonly stdout: string } =>
  thrown instanceof Error && "code" in thrown && thrown.code === 1 && "stdout" in thrown && typeof thrown.stdout === "string";

const toProtected = (file: string): readonly (readonly [file: string, kind: ProtectedFile["kind"]])[] => {
  const names = file.split("/");
  for (let length = 1; length <= names.length; length += 1) {
    const outer = names.slice(0, length).join("/");
    const kind = toKind(protectionOf(outer), names[length - 1] ?? "");
    if (kind === undefined) continue;
    const isSecretInside = kind !== "secret" && toKind(protectionOf(file), names.at(-1) ?? "") === "secret";
    return [[outer, kind], ...(isSecretInside ? ([[file, "secret"]] as const) : [])];
  }
  return HALF_PROTECTED.has(names.at(-1)?.toLowerCase() ?? "") ? [[file, "denied"]] : [];
};

/** Commands may look into the repository, as git itself does. */
const toKind = (protection: Protection | undefined, name: string): ProtectedFile["kind"] | undefined => {
  if (protection === undefined || protection.write === "ask-unless-all") return undefined;
  if (protection.read === "deny" && name.toLowerCase() !== ".git") return "secret";
  return protection.write === "ask" ? "asked" : "denied";
};

/** What is mounted in a sandbox cannot be removed there, so that its number stays its own; a link can, and is known by more. */
const identify = async (file: string): Promise<Pick<ProtectedFile, "type" | "identity"> | undefined> => {
  const stats = await lstat(file, { bigint: true }).catch(() => undefined);
  if (!stats) return undefined;
  const number = `${stats.dev}:${stats.ino}`;
  if (stats.isSymbolicLink())
    return { type: "link", identity: `${number}:${stats.mtimeNs}:${await readlink(file).catch(() => "")}` };
  return { type: stats.isDirectory() ? "folder" : "file", identity: number };
};

const MAX_READ_BYTES = 1024 * 1024;

/** Some names say little: settings of package managers without a key in them must be found, and so must lists of authorities. */
const holdsSecret = async (file: string): Promise<boolean> => {
  const name = path.basename(file).toLowerCase();
  const sign = name === ".npmrc" ? NPM_KEY : name.endsWith(".pem") ? PRIVATE_KEY : undefined;
  if (sign === undefined || (await lstat(file)).size > MAX_READ_BYTES) return true;
  return sign.test(await readFile(file, "latin1").catch(() => ""));
};

const NPM_KEY = /(?:_authToken|_auth|_password)[^\S\n]*=[^\S\n]*(?!\$\{)\S/;
const PRIVATE_KEY = /PRIVATE KEY/;

/** The mark that a name gets when what bears it is held back. */
const HELD = ".held-by-retinue";

/**
 * Renames what is protected now and was not there before, so that nobody runs or obeys it; nothing is deleted. A fresh repository without
 * hooks and settings of its own may stay.
 */
export const holdBack = async (
  search: ProtectedSearch & { readonly before: readonly ProtectedFile[] },
): Promise<readonly string[]> => {
  const known = new Set(search.before.map(({ identity }) => identity));
  const held: string[] = [];
  for (const { file, kind, identity } of await findProtected(search)) {
    // A new secret of the command's own is no danger.
    if (kind === "secret" || known.has(identity)) continue;
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
