/**
 * Copies files of one folder to another that nobody else works in yet, byte by byte and with their mode. No link is followed on the side that is
 * read: links are copied as links, and what is reached through a linked folder is not there.
 */
import type { FileHandle } from "node:fs/promises";
import { constants, lstat, mkdir, open, readlink, symlink } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import type { HeldFolder } from "../files/write-inside.ts";
import { inFolderOf } from "../files/write-inside.ts";
import { LINK_MODE, systemCodeOf, toGitMode } from "./read-version.ts";

export type CopyFiles = {
  readonly from: string;
  readonly to: string;
  /** Relative, with forward slashes. */
  readonly files: readonly string[];
  readonly signal: AbortSignal;
  readonly maxBytes: number;
};

export type CopiedFile = { readonly file: string; readonly mode: string };

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const FOLDERS_AT_ONCE = 8;
const CHUNK_BYTES = 1024 * 1024;
/** Not there, or not a file any more: as good as deleted. */
const GONE: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

/** Gives those that were there, in no order. */
export const copyFiles = async ({ from, to, files, signal, maxBytes }: CopyFiles): Promise<readonly CopiedFile[]> => {
  const folders = [...Map.groupBy(files, (file) => path.posix.dirname(file))];
  const copied: CopiedFile[] = [];
  let bytes = 0;
  const copyFolder = async (folder: string, names: readonly string[]): Promise<void> => {
    await mkdir(path.join(to, folder), { recursive: true });
    await inFolderOf({ root: from, file: names[0] ?? "", make: false }, async (held) => {
      for (const file of names) {
        signal.throwIfAborted();
        const made = await copyFile(held, path.posix.basename(file), path.join(to, file)).catch(unlessGone);
        if (made === undefined) continue;
        copied.push({ file, mode: made.mode });
        bytes += made.size;
        if (bytes > maxBytes)
          throw new RetinueError(
            "worktree_unavailable",
            `The files of the workspace have more than ${Math.floor(maxBytes / 1024 ** 3)} GiB together.`,
            { hint: "Let git ignore what is not source, or run the agent with `isolation: none`." },
          );
      }
    }).catch(unlessGone);
  };
  const worker = async (): Promise<void> => {
    for (let next = folders.pop(); next; next = folders.pop()) await copyFolder(...next);
  };
  await Promise.all(Array.from({ length: Math.min(FOLDERS_AT_ONCE, folders.length) }, worker));
  return copied;
};

const unlessGone = (thrown: unknown): undefined => {
  if (!GONE.has(systemCodeOf(thrown))) throw thrown;
  return undefined;
};

type Made = { readonly mode: string; readonly size: number };

/** Undefined for what is neither file nor link. */
export const copyFile = async (folder: HeldFolder, name: string, to: string): Promise<Made | undefined> => {
  const at = folder.at(name);
  const stats = await lstat(at);
  if (stats.isSymbolicLink()) {
    await symlink(await readlink(at), to);
    return { mode: LINK_MODE, size: 0 };
  }
  if (!stats.isFile()) return undefined;
  const source = await open(at, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0));
  try {
    const { mode, size } = await source.stat();
    const target = await open(to, O_WRONLY | O_CREAT | O_EXCL, mode & 0o777);
    try {
      await pour(source, target, size);
    } finally {
      await target.close();
    }
    return { mode: toGitMode(mode), size };
  } finally {
    await source.close();
  }
};

const pour = async (source: FileHandle, target: FileHandle, size: number): Promise<void> => {
  const chunk = Buffer.alloc(Math.max(1, Math.min(CHUNK_BYTES, size + 1)));
  for (let at = 0; ;) {
    const { bytesRead } = await source.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) return;
    for (let written = 0; written < bytesRead;)
      written += (await target.write(chunk, written, bytesRead - written, at + written)).bytesWritten;
    at += bytesRead;
  }
};
