/**
 * A throw-away copy made file by file, for machines where no overlay can be mounted. Installed packages and repositories are not copied: they are seen
 * read-only beneath. No link is followed, and a file with several names becomes several files.
 */
import { chmod, chown, lchown, lstat, mkdir, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import { isInside } from "@retinue/runtime";
import { formatBytes } from "../../files/output-text.ts";
import { inFolderOf } from "../../files/write-inside.ts";
import { createTemporaryFolder } from "../../process/temporary-folder.ts";
import { copyFile } from "../../worktree/copy-files.ts";
import { systemCodeOf } from "../../worktree/read-version.ts";
import type { Owner } from "../folder-owner.ts";
import { findOwner } from "../folder-owner.ts";
import type { ListedEntry } from "./list-tree.ts";
import { listTree } from "./list-tree.ts";
import { removeTree } from "./remove-tree.ts";
import type { CopyOptions, ThrowAwayCopy } from "./throw-away-copy.ts";

const MOST_FILES = 100_000;
const TIME_LIMIT_MS = 120_000;
const FOLDERS_AT_ONCE = 8;
/** Not there any more, or something else by now: as good as deleted. */
const GONE: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

export const openPlainCopy = async ({ workspace, without, maxBytes, signal }: CopyOptions): Promise<ThrowAwayCopy> => {
  const found = await listTree({ folder: workspace, signal });
  const isWithout = (file: string): boolean => without.some((each) => isInside(each, path.join(workspace, file)));
  const entries = [...found].filter(([file]) => !isWithout(file));
  requireSmall(entries, maxBytes);
  const folder = createTemporaryFolder("copy");
  const from = path.join(folder, "merged");
  try {
    const owner = await findOwner(workspace);
    await mkdir(from);
    await makePlaceholders(
      from,
      [
        ...without.filter((file) => file !== workspace).map((file) => path.relative(workspace, file)),
        ...entries.filter(([, { kind }]) => kind === "beneath" || kind === "socket").map(([file]) => file),
      ],
      workspace,
    );
    await copyEntries({
      workspace,
      to: from,
      entries,
      owner,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)]),
    });
    const { mode, uid, gid } = await lstat(workspace);
    await chmod(from, mode & 0o7777);
    if (owner) for (const at of [folder, from]) await chown(at, uid, gid);
    return {
      kind: "plain",
      from,
      written: from,
      beneath: entries.filter(([, { kind }]) => kind === "beneath").map(([file]) => path.join(workspace, file)),
      enter: (program) => program,
      isRootInside: false,
      before: await listTree({ folder: from, signal }),
      list: () => listTree({ folder: from }),
      remove: () => removeTree(folder),
    };
  } catch (thrown) {
    await removeTree(folder);
    if (thrown instanceof Error && thrown.name === "TimeoutError")
      throw tooLarge(`Copying it took longer than ${TIME_LIMIT_MS / 1000} s.`);
    throw thrown;
  }
};

type Entries = readonly (readonly [file: string, entry: ListedEntry])[];

const requireSmall = (entries: Entries, maxBytes: number): void => {
  const files = entries.filter(([, { kind }]) => kind === "file");
  const bytes = files.reduce((sum, [, { size }]) => sum + size, 0);
  if (files.length > MOST_FILES) throw tooLarge(`It holds ${files.length} files, and ${MOST_FILES} is the most.`);
  if (bytes > maxBytes) throw tooLarge(`Its files have ${formatBytes(bytes)}, and ${formatBytes(maxBytes)} is the most.`);
};

const tooLarge = (why: string): RetinueError =>
  new RetinueError(
    "tool_failed",
    `This agent may not write the workspace, so that its commands work in a copy of it, and the workspace is too large to be copied. ${why} Nothing was run.`,
    {
      hint: "The user can remove what is built or cached there, choose a smaller folder as workspace, or allow users of this machine to mount overlayfs, which copies nothing.",
    },
  );

/** What is mounted over needs something to be mounted on; made here, it is no trace of the command. */
const makePlaceholders = async (to: string, files: readonly string[], workspace: string): Promise<void> => {
  for (const file of files) {
    const isFolder = await lstat(path.join(workspace, file)).then(
      (stats) => stats.isDirectory(),
      () => undefined,
    );
    if (isFolder === undefined) continue;
    await mkdir(path.join(to, isFolder ? file : path.dirname(file)), { recursive: true });
    if (!isFolder) await writeFile(path.join(to, file), "");
  }
};

type Copying = {
  readonly workspace: string;
  readonly to: string;
  readonly entries: Entries;
  readonly owner: Owner | undefined;
  readonly signal: AbortSignal;
};

const copyEntries = async ({ workspace, to, entries, owner, signal }: Copying): Promise<void> => {
  const folders = entries.filter(([, { kind }]) => kind === "folder");
  for (const [file] of folders) await mkdir(path.join(to, file), { recursive: true });
  const files = entries.filter(([, { kind }]) => kind === "file" || kind === "link");
  const groups = [...Map.groupBy(files, ([file]) => path.posix.dirname(file)).values()];
  const copyGroup = async (group: Entries): Promise<void> =>
    inFolderOf({ root: workspace, file: group[0]?.[0] ?? "", make: false }, async (held) => {
      for (const [file, entry] of group) {
        signal.throwIfAborted();
        const target = path.join(to, file);
        const made = await copyFile(held, path.posix.basename(file), target).catch(unlessGone);
        if (made === undefined) continue;
        // Builds compare times.
        if (entry.kind === "file") await utimes(target, Number(entry.changedAt), Number(entry.changedAt));
        if (owner) await lchown(target, owner.uid, owner.gid);
      }
    }).catch(unlessGone);
  const worker = async (): Promise<void> => {
    for (let next = groups.pop(); next; next = groups.pop()) await copyGroup(next);
  };
  await Promise.all(Array.from({ length: Math.min(FOLDERS_AT_ONCE, groups.length) }, worker));
  // A folder that may not be written takes its rights when all is in it.
  for (const [file, { mode }] of folders.toReversed()) {
    if (owner) await chown(path.join(to, file), owner.uid, owner.gid);
    await chmod(path.join(to, file), Number.parseInt(mode, 8));
  }
};

const unlessGone = (thrown: unknown): undefined => {
  if (!GONE.has(systemCodeOf(thrown))) throw thrown;
  return undefined;
};
