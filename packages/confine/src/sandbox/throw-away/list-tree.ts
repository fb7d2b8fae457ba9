/** Lists by find what stands below a folder. Installed packages and repositories are named and not looked into. */
import { execFile } from "node:child_process";
import { lstat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { RetinueError } from "@retinue/protocol";

const run = promisify(execFile);

export type ListedEntry = {
  /** `beneath`: a folder that is not looked into. */
  readonly kind: "file" | "link" | "folder" | "beneath" | "socket" | "other";
  readonly size: number;
  /** Its rights, in octal. */
  readonly mode: string;
  /** When its content was changed last. */
  readonly changedAt: string;
  /** Which one it is, and when anything of it was changed: nobody can set that time. */
  readonly identity: string;
};

/** By path, relative to the folder and with forward slashes. */
export type Tree = ReadonlyMap<string, ListedEntry>;

export type TreeSearch = {
  readonly folder: string;
  /** The search, as it is started. */
  readonly enter?: (program: { readonly file: string; readonly args: readonly string[] }) => {
    readonly file: string;
    readonly args: readonly string[];
  };
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
  readonly signal?: AbortSignal;
};

const BENEATH = ["-name", "node_modules", "-o", "-name", "site-packages", "-o", "-name", ".git"];
const FORMAT = "%s %m %T@ %i:%C@ %P\\0";
const TIME_LIMIT_MS = 60_000;
const MAX_LIST_BYTES = 256 * 1024 * 1024;

/** Throws where not all of it could be listed. */
export const listTree = async ({ folder, enter = (program) => program, owner, signal }: TreeSearch): Promise<Tree> => {
  const { file, args } = enter({
    file: "/usr/bin/find",
    args: [folder, "-mindepth", "1", "(", ...BENEATH, ")", "-printf", `p ${FORMAT}`, "-prune", "-o", "-printf", `%y ${FORMAT}`],
  });
  const { stdout } = await run(file, [...args], {
    env: { LC_ALL: "C" },
    timeout: TIME_LIMIT_MS,
    killSignal: "SIGKILL",
    maxBuffer: MAX_LIST_BYTES,
    ...owner,
    ...(signal === undefined ? {} : { signal }),
  }).catch((thrown: unknown) => {
    if (signal?.aborted === true) throw thrown;
    throw new RetinueError("tool_failed", `Not all of ${folder} could be listed: ${whyOf(thrown)}`, { cause: thrown });
  });
  const tree = new Map<string, ListedEntry>();
  for (const record of stdout.split("\0")) {
    const [, type = "", size, mode = "", changedAt = "", identity = "", name] =
      /^(\S) (\d+) (\d+) (\S+) (\S+) (.*)$/s.exec(record) ?? [];
    // A name that is not in UTF-8 cannot be given back.
    if (name === undefined || name.includes("\uFFFD")) continue;
    tree.set(name, { kind: KINDS.get(type) ?? "other", size: Number(size), mode, changedAt, identity });
  }
  return tree;
};

/** What find said first. */
const whyOf = (thrown: unknown): string => {
  const said = typeof thrown === "object" && thrown !== null && "stderr" in thrown ? String(thrown.stderr).split("\n")[0] : "";
  return said || (thrown instanceof Error ? thrown.message : String(thrown));
};

const KINDS = new Map<string, ListedEntry["kind"]>([
  ["f", "file"],
  ["l", "link"],
  ["d", "folder"],
  ["s", "socket"],
  ["p", "beneath"],
]);

/** The same of one path as it is now; undefined where nothing stands there. */
export const listEntry = async (folder: string, file: string): Promise<Pick<ListedEntry, "kind" | "identity"> | undefined> => {
  const stats = await lstat(path.join(folder, file), { bigint: true }).catch(() => undefined);
  if (!stats) return undefined;
  const kind = stats.isFile() ? "file" : stats.isSymbolicLink() ? "link" : stats.isDirectory() ? "folder" : "other";
  return { kind, identity: `${stats.ino}:${toFindTime(stats.ctimeNs)}` };
};

/** As find prints it. */
const toFindTime = (ns: bigint): string => `${ns / 1_000_000_000n}.${String(ns % 1_000_000_000n).padStart(9, "0")}0`;

/** Whether a listed file was written, replaced or given other rights since. */
export const isChanged = (before: ListedEntry | undefined, after: ListedEntry): boolean =>
  before === undefined ||
  before.kind !== after.kind ||
  before.size !== after.size ||
  before.mode !== after.mode ||
  before.changedAt !== after.changedAt;
