/**
 * Finds what is protected by name in a folder as it is now, links and empty folders too, so that a sandbox can hide secrets and keep the
 * rest from being written. What cannot be looked into counts as a secret.
 */
import { lstat, readlink } from "node:fs/promises";
import path from "node:path";
import type { Protection } from "@retinue/runtime";
import { createPathMatcher, isInside, mayHoldRoles, namesRoles, protectionOf } from "@retinue/runtime";
import { readPlainFile } from "../files/read-plain-file.ts";
import { codeOf } from "../files/system-error.ts";
import { HALF_PROTECTED, listProtectedNames, notRun } from "./protected-names.ts";

export type ProtectedFile = {
  /** Relative to the folder, with forward slashes. */
  readonly file: string;
  /** A secret is not to be seen either; what is asked about may be written by a tool that asks. */
  readonly kind: "secret" | "denied" | "asked";
  readonly type: "file" | "folder" | "link";
  /** Which one it is, wherever it is moved to. */
  readonly identity: string;
  /** A file that something trusted runs. */
  readonly isBound?: true;
  /** A folder that may not be listed, so that it is treated like a secret whole. */
  readonly isClosed?: true;
};

export type ProtectedSearch = {
  readonly folder: string;
  /** Globs of protected paths that the user has set free. */
  readonly unprotected?: readonly string[];
  /** Files that trusted hooks and servers run, absolute and real: nobody writes them, whatever their names. */
  readonly bound?: readonly string[];
  readonly signal?: AbortSignal;
};

/** Each costs a mount, and the time they take together grows with the square of their number. */
const MAX_MOUNTED = 300;
/** Of the files that something trusted runs; when one of those beyond is changed, that is no longer trusted. */
const MAX_BOUND = 100;

export type ProtectedPlaces = {
  /** The outermost protected path of each place, the secrets below it, and folders that cannot be looked into. */
  readonly all: readonly ProtectedFile[];
  /** Those of them that are mounted over in a sandbox: all secrets and all that is denied, and of what is asked about as many as can be. */
  readonly mounted: readonly ProtectedFile[];
  /** Names that were looked at, and may be seen by a command. */
  readonly seen: readonly string[];
};

/** Throws where the folder itself may not be listed, and where more is to be kept from a command than can be. */
export const findProtected = async (search: ProtectedSearch): Promise<ProtectedPlaces> => {
  const { all, names } = await searchNamed(search);
  if (all.some(({ file }) => file === "."))
    throw notRun(`${search.folder} may not be listed, so that its secrets cannot be hidden.`);
  const firm = all.filter(({ kind }) => kind !== "asked");
  if (firm.length > MAX_MOUNTED)
    throw notRun(`The workspace holds ${firm.length} secrets and other protected paths, and ${MAX_MOUNTED} is the most.`);
  const masked = firm.filter(({ kind, type }) => kind === "secret" && type !== "link");
  return {
    all,
    mounted: [...firm, ...all.filter(({ kind }) => kind === "asked").slice(0, MAX_MOUNTED - firm.length)],
    seen: names.filter(
      (name) => !masked.some(({ file, type }) => (type === "file" ? name === file : name.startsWith(`${file}/`))),
    ),
  };
};

type Searched = {
  readonly all: readonly ProtectedFile[];
  readonly names: readonly string[];
  /** Paths that are not in UTF-8, as bytes; what they are and what they hold was not looked at. */
  readonly unspeakable: readonly Buffer[];
};

/** As `searchProtected`; throws where a name cannot be written, and so cannot be protected. */
export const searchNamed = async (search: ProtectedSearch): Promise<Searched> => {
  const searched = await searchProtected(search);
  const [odd] = searched.unspeakable;
  if (odd !== undefined)
    throw notRun(`The name of ${JSON.stringify(odd.toString("utf8"))} is not in UTF-8, so that it cannot be protected.`);
  return searched;
};

/** However many there are. */
export const searchProtected = async (search: ProtectedSearch): Promise<Searched> => {
  const { folder, unprotected = [], bound = [] } = search;
  const isFree = createPathMatcher(unprotected, { anyCase: true });
  const { names, closed, unspeakable } = await listProtectedNames(search);
  const kinds = new Map(names.filter((file) => !isFree(file)).flatMap(toProtected));
  const all: ProtectedFile[] = [];
  for (const file of closed) {
    const known = await identify(path.join(folder, file));
    if (known) all.push({ file, kind: "secret", isClosed: true, ...known });
  }
  for (const [file, kind] of kinds) {
    const known = await identify(path.join(folder, file));
    if (known?.type !== "link" && protectionOf(file) === undefined) continue;
    // Known below.
    if (bound.length > 0 && kind !== "secret" && bound.includes(path.join(folder, file))) continue;
    if (kind === "asked" && known?.type === "file" && mayHoldRoles(file) && !(await holdsRoles(path.join(folder, file))))
      continue;
    if (known && (kind !== "secret" || known.type !== "file" || (await holdsSecret(path.join(folder, file)))))
      all.push({ file, kind, ...known });
  }
  for (const file of toBoundNames(folder, bound).filter((name) => !isFree(name))) {
    const known = await identify(path.join(folder, file));
    if (known) all.push({ file, kind: "denied", isBound: true, ...known });
  }
  return { all, names, unspeakable };
};

const toBoundNames = (folder: string, bound: readonly string[]): readonly string[] =>
  bound
    .filter((file) => file !== folder && isInside(folder, file))
    .slice(0, MAX_BOUND)
    .map((file) => path.relative(folder, file).split(path.sep).join("/"))
    // A secret is masked whatever runs it.
    .filter((file) => protectionOf(file)?.read !== "deny");

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

/** A file that was removed leaves its number to another, which is younger. A link is known by where it leads, too. */
export const identify = async (file: string): Promise<Pick<ProtectedFile, "type" | "identity"> | undefined> => {
  const stats = await lstat(file, { bigint: true }).catch((thrown: unknown) => {
    if (GONE.has(codeOf(thrown))) return undefined;
    throw notRun(`${file} could not be looked at.`, thrown);
  });
  if (!stats) return undefined;
  const number = `${stats.dev}:${stats.ino}`;
  if (stats.isSymbolicLink())
    return { type: "link", identity: `${number}:${stats.mtimeNs}:${await readlink(file).catch(() => "")}` };
  if (stats.isDirectory()) return { type: "folder", identity: number };
  return { type: "file", identity: `${number}:${stats.birthtimeNs}` };
};

const GONE: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR"]);

const MAX_READ_BYTES = 1024 * 1024;

/** Some names say little: settings of package managers without a key in them must be found, and so must lists of authorities. */
const holdsSecret = async (file: string): Promise<boolean> => {
  const name = path.basename(file).toLowerCase();
  const sign = name === ".npmrc" ? NPM_KEY : name.endsWith(".pem") ? PRIVATE_KEY : undefined;
  if (sign === undefined) return true;
  const text = (await readPlainFile(file, MAX_READ_BYTES))?.toString("latin1");
  return text === undefined || sign.test(text);
};

/** Whether a settings file defines agents; one that cannot be read counts. */
export const holdsRoles = async (file: string): Promise<boolean> => {
  const text = (await readPlainFile(file, MAX_READ_BYTES))?.toString("utf8");
  return text === undefined ? (await lstat(file).catch(() => undefined)) !== undefined : namesRoles(text);
};

const NPM_KEY = /(?:_authToken|_auth|_password)[^\S\n]*=[^\S\n]*(?!\$\{)\S/;
const PRIVATE_KEY = /PRIVATE KEY/;
