/**
 * The repository that a linked worktree belongs to, so that git works in the worktree too. Only one that itself knows the worktree counts: what stands in a
 * workspace may have been written by an agent and opens no folder elsewhere.
 */
import { realpath } from "node:fs/promises";
import path from "node:path";
import { isInside } from "@retinue/runtime";
import { readPlainText } from "../files/read-plain-file.ts";

/** Undefined where the folder is no linked worktree. */
export const findSharedRepository = async (root: string): Promise<string | undefined> => {
  const dotGit = path.join(root, ".git");
  const own = /^gitdir: (.+)$/m.exec(await readText(dotGit))?.[1];
  if (own === undefined) return undefined;
  const gitFolder = await realpath(path.resolve(root, own)).catch(() => undefined);
  if (gitFolder === undefined || isInside(root, gitFolder)) return undefined;
  const back = (await readText(path.join(gitFolder, "gitdir"))).trim();
  const common = (await readText(path.join(gitFolder, "commondir"))).trim();
  if (back === "" || common === "") return undefined;
  const known = await realpath(path.resolve(gitFolder, back)).catch(() => undefined);
  const repository = await realpath(path.resolve(gitFolder, common)).catch(() => undefined);
  if (repository === undefined || known !== (await realpath(dotGit).catch(() => undefined))) return undefined;
  return isInside(path.join(repository, "worktrees"), gitFolder) ? repository : undefined;
};

const MOST_BYTES = 10_000;

const readText = (file: string): Promise<string> => readPlainText(file, MOST_BYTES, { followsLink: true });
