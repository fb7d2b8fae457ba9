/**
 * Takes back from a throw-away copy what the agent may write, and nothing else: each file is judged by the same scope and the same protection as a write
 * by a tool, and is put in its place without following links. What was changed in the workspace meanwhile is left as it is, and told.
 */
import { randomUUID } from "node:crypto";
import { constants, lstat, open, readlink, unlink } from "node:fs/promises";
import path from "node:path";
import type { Grant } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { BOUND, createPathMatcher, findUnportable, isInScope, isInside, protectionOf } from "@retinue/runtime";
import { inFileTurn } from "../../files/file-turns.ts";
import { formatBytes } from "../../files/output-text.ts";
import { inFolderOf } from "../../files/write-inside.ts";
import type { PlacedFile } from "../../worktree/place-file.ts";
import { placeFile } from "../../worktree/place-file.ts";
import { systemCodeOf } from "../../worktree/read-version.ts";
import type { Tree } from "./list-tree.ts";
import { isChanged, listEntry } from "./list-tree.ts";
import type { ThrowAwayCopy } from "./throw-away-copy.ts";

export type TakeBack = {
  readonly workspace: string;
  readonly copy: Pick<ThrowAwayCopy, "written" | "before" | "list">;
  /** What the workspace held when the command began. */
  readonly before: Tree;
  readonly writes: Grant["writes"];
  /** Globs of protected paths that the user has set free. */
  readonly unprotected: readonly string[];
  /** Files that something trusted runs, absolute. */
  readonly bound: readonly string[];
  /** Paths that the command wrote in the workspace itself, absolute. */
  readonly opened: readonly string[];
};

export type TakenBack = {
  readonly created: readonly string[];
  readonly modified: readonly string[];
  readonly deleted: readonly string[];
  /** What the agent may write and what was not taken back all the same. */
  readonly left: readonly { readonly path: string; readonly reason: string }[];
  /** What the agent may not write, and what was thrown away with the copy. */
  readonly dropped: readonly string[];
};

export const NOTHING_TAKEN: TakenBack = { created: [], modified: [], deleted: [], left: [], dropped: [] };

const MOST_FILES = 5000;
const MOST_FILE_BYTES = 64 * 1024 * 1024;
const MEANWHILE = "it was changed in the workspace meanwhile";

export const takeBack = async (options: TakeBack): Promise<TakenBack> => {
  const { workspace, copy, before, writes, opened } = options;
  const after = await copy.list();
  const began = copy.before ?? before;
  const isOurs = (file: string): boolean => isInScope(writes, file);
  const isOpened = (file: string): boolean => opened.some((each) => isInside(each, path.join(workspace, file)));
  const changed = [...after].flatMap(([file, entry]) =>
    (entry.kind === "file" || entry.kind === "link") && isChanged(began.get(file), entry) && !isOpened(file) ? file : [],
  );
  const gone = [...began].flatMap(([file, { kind }]) =>
    (kind === "file" || kind === "link") && !after.has(file) && !isOpened(file) ? file : [],
  );
  const taken = { created: [] as string[], modified: [] as string[], deleted: [] as string[] };
  const left: { path: string; reason: string }[] = [];
  const dropped: string[] = [];
  const refuse = createRefusal(options);
  // What is deleted goes first, so that something else may stand in its place.
  for (const [file, isGone] of [...gone.map((each) => [each, true] as const), ...changed.map((each) => [each, false] as const)]) {
    if (!isOurs(file)) {
      if (isGone || (await isThere(copy.written, file))) dropped.push(file);
      continue;
    }
    const count = taken.created.length + taken.modified.length + taken.deleted.length;
    const reason = refuse(file) ?? (count >= MOST_FILES ? `more than ${MOST_FILES} files were changed` : undefined);
    const done = reason === undefined ? await takeOne({ ...options, file, isGone }).catch(toReason) : { left: reason };
    if (done === undefined) continue;
    if (typeof done === "string") taken[done].push(file);
    else left.push({ path: file, reason: done.left });
  }
  return { ...taken, left, dropped };
};

/** Whether anything could come back at all. */
export const canTakeBack = (writes: Grant["writes"]): boolean => writes.every((globs) => globs.some((glob) => glob !== ""));

const createRefusal = ({ workspace, unprotected, bound }: TakeBack): ((file: string) => string | undefined) => {
  const isFree = createPathMatcher(unprotected, { anyCase: true });
  return (file) => {
    const protection = protectionOf(file);
    if (protection !== undefined && protection.write !== "ask-unless-all" && !isFree(file)) return `it is ${protection.why}`;
    if (bound.includes(path.join(workspace, file)) && !isFree(file)) return `it is ${BOUND.why}`;
    return findUnportable(file);
  };
};

type Done = keyof Pick<TakenBack, "created" | "modified" | "deleted"> | { readonly left: string } | undefined;

const toReason = (thrown: unknown): Done => ({ left: thrown instanceof Error ? thrown.message : String(thrown) });

type TakeOne = TakeBack & { readonly file: string; readonly isGone: boolean };

/** Undefined where the command did not change it after all, or the workspace holds the same already. */
const takeOne = async ({ workspace, copy, before, file, isGone }: TakeOne): Promise<Done> =>
  inFileTurn([path.join(workspace, file)], async () => {
    const now = await listEntry(workspace, file);
    const known = before.get(file);
    if (isGone) {
      if (now === undefined) return undefined;
      if (now.identity !== known?.identity) return { left: MEANWHILE };
      await inFolderOf({ root: workspace, file, make: false }, (folder, name) => unlink(folder.at(name)));
      return "deleted";
    }
    const written = await readWritten(copy.written, file);
    if (written === undefined) return undefined;
    if (written.type === "link" && !staysInside(workspace, file, written.content.toString("utf8")))
      return { left: "it is a symbolic link that leads out of the workspace" };
    if (now?.identity !== known?.identity) {
      const theirs = await readWritten(workspace, file);
      if (theirs?.type === written.type && theirs.content.equals(written.content)) return undefined;
      return { left: MEANWHILE };
    }
    if (now !== undefined && now.kind !== "file" && now.kind !== "link") return { left: "a folder stands in its place" };
    await placeFile({ root: workspace, file, runId: randomUUID(), isNew: now === undefined, ...written });
    return now === undefined ? "created" : "modified";
  });

const staysInside = (workspace: string, file: string, target: string): boolean =>
  !path.isAbsolute(target) &&
  path.posix.normalize(target) === target &&
  isInside(workspace, path.resolve(path.dirname(path.join(workspace, file)), target));

const isThere = (root: string, file: string): Promise<boolean> =>
  lstat(path.join(root, file)).then(
    (stats) => stats.isFile() || stats.isSymbolicLink(),
    () => false,
  );

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** Undefined where nothing stands there. Nothing is followed on the way: the command could have put links there. */
const readWritten = async (root: string, file: string): Promise<Pick<PlacedFile, "content" | "type"> | undefined> => {
  try {
    return await inFolderOf({ root, file, make: false }, async (folder, name) => {
      const at = folder.at(name);
      const stats = await lstat(at);
      if (stats.isSymbolicLink()) return { type: "link", content: Buffer.from(await readlink(at)) };
      if (!stats.isFile()) throw new RetinueError("tool_failed", "it is no regular file but a folder, device, FIFO or socket");
      const handle = await open(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      try {
        const { size, mode } = await handle.stat();
        if (size > MOST_FILE_BYTES) throw new RetinueError("tool_failed", `it has more than ${formatBytes(MOST_FILE_BYTES)}`);
        return { type: (mode & 0o100) === 0 ? "plain" : "executable", content: await handle.readFile() };
      } finally {
        await handle.close();
      }
    });
  } catch (thrown) {
    if (systemCodeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
};
