/** The files of `.git` that git writes without putting a new one in their place: the message of a commit, and the logs of what HEAD and its branch were. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { FoundRepository } from "./find-repository.ts";

export const findWrittenInPlace = async ({
  gitFolder,
  commonFolder,
}: FoundRepository): Promise<readonly (readonly [folder: string, files: readonly string[]])[]> => {
  const head = await readFile(path.join(gitFolder, "HEAD"), "utf8").catch(() => "");
  const branch = /^ref: (refs\/[^\n]+)/.exec(head)?.[1];
  return [
    [gitFolder, ["COMMIT_EDITMSG", "logs/HEAD"]],
    [commonFolder, branch === undefined ? [] : [`logs/${branch}`]],
  ];
};
