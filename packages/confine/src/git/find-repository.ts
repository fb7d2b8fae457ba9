/**
 * Finds the repository that a workspace belongs to as git would, without asking git: what is bound into the sandbox for git must be known before git
 * runs. Nothing is followed but `gitdir:` and `commondir`, and whether they may lead where they lead is judged by `requireOwnRepository`.
 */
import { lstat, realpath } from "node:fs/promises";
import path from "node:path";
import { readPlainText } from "../files/read-plain-file.ts";
import { foreignRepository } from "./foreign-repository.ts";

/** All paths are absolute and real. */
export type FoundRepository = {
  /** The folder that the repository's files are in. */
  readonly top: string;
  readonly gitFolder: string;
  /** Where linked work trees have what they share; otherwise the same. */
  readonly commonFolder: string;
  /** Every `.git` that was looked for, from the workspace up. */
  readonly candidates: readonly string[];
};

const MOST_BYTES = 10_000;

/** Undefined where there is none. `workspace` is absolute and real. */
export const findRepository = async (workspace: string): Promise<FoundRepository | undefined> => {
  const { dev } = await lstat(workspace);
  const candidates: string[] = [];
  for (let top = workspace; ; top = path.dirname(top)) {
    // As git, which does not look beyond a file system.
    if ((await lstat(top)).dev !== dev) return undefined;
    const dotGit = path.join(top, ".git");
    candidates.push(dotGit);
    const gitFolder = await readGitFolder(top, dotGit);
    if (gitFolder !== undefined) return { top, gitFolder, commonFolder: await readCommonFolder(gitFolder), candidates };
    if (top === path.dirname(top)) return undefined;
  }
};

const readGitFolder = async (top: string, dotGit: string): Promise<string | undefined> => {
  const stats = await lstat(dotGit).catch(() => undefined);
  if (stats?.isSymbolicLink() === true) throw foreignRepository(`${dotGit} is a link`);
  if (stats?.isDirectory() === true) return (await isGitFolder(dotGit)) ? dotGit : undefined;
  if (stats?.isFile() !== true || stats.size > MOST_BYTES) return undefined;
  const named = /^gitdir: ([^\n]+)\n*$/.exec(await readPlainText(dotGit, MOST_BYTES))?.[1];
  const gitFolder = named === undefined ? undefined : await realpath(path.resolve(top, named)).catch(() => undefined);
  if (gitFolder === undefined) throw foreignRepository(`${dotGit} leads nowhere`);
  return gitFolder;
};

/** The parts by which git knows one; whether they are what they should be is found out later. */
const isGitFolder = async (folder: string): Promise<boolean> => {
  const has = (name: string): Promise<boolean> =>
    lstat(path.join(folder, name)).then(
      () => true,
      () => false,
    );
  return (await has("HEAD")) && ((await has("commondir")) || ((await has("objects")) && (await has("refs"))));
};

const readCommonFolder = async (gitFolder: string): Promise<string> => {
  const file = path.join(gitFolder, "commondir");
  const stats = await lstat(file).catch(() => undefined);
  if (stats === undefined) return gitFolder;
  const named = (await readPlainText(file, MOST_BYTES)).replace(/\n+$/, "");
  const common = named === "" ? undefined : await realpath(path.resolve(gitFolder, named)).catch(() => undefined);
  if (common === undefined) throw foreignRepository(`${file} leads nowhere`);
  return common;
};
