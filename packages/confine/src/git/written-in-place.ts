/** The files of `.git` that git writes without putting a new one in their place: the message of a commit, and the logs of what HEAD and its branch were. */
import path from "node:path";
import { readPlainText } from "../files/read-plain-file.ts";
import type { FoundRepository } from "./find-repository.ts";

const MOST_BYTES = 10_000;

export const findWrittenInPlace = async ({
  gitFolder,
  commonFolder,
}: FoundRepository): Promise<readonly (readonly [folder: string, files: readonly string[]])[]> => {
  const head = await readPlainText(path.join(gitFolder, "HEAD"), MOST_BYTES);
  const branch = /^ref: (refs\/[^\n]+)/.exec(head)?.[1];
  return [
    [gitFolder, ["COMMIT_EDITMSG", "logs/HEAD"]],
    [commonFolder, branch === undefined ? [] : [`logs/${branch}`]],
  ];
};
