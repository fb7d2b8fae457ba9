/** Merges the lines of one file that two sides changed. No driver that a repository names takes part. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Repository } from "../git/repository.ts";

export type LinesToMerge = { readonly base: Buffer; readonly ours: Buffer; readonly theirs: Buffer };

export type MergedLines =
  | { readonly type: "merged"; readonly content: Buffer }
  | { readonly type: "conflict"; readonly reason: string };

const MOST_BYTES = 16 * 1024 * 1024;
/** Where git looks for a NUL, by which it knows what is no text. */
const SNIFFED_BYTES = 8000;

const isText = (content: Buffer): boolean => !content.subarray(0, SNIFFED_BYTES).includes(0);

export const mergeLines = async (
  { base, ours, theirs }: LinesToMerge,
  repository: Pick<Repository, "run">,
  scratch: string,
): Promise<MergedLines> => {
  const sides = { ours, base, theirs };
  const contents = Object.values(sides);
  if (!contents.every(isText)) return { type: "conflict", reason: "it is binary and was changed on both sides" };
  if (contents.some((content) => content.length > MOST_BYTES))
    return { type: "conflict", reason: "it is too large to be merged line by line, and was changed on both sides" };
  const folder = await mkdtemp(path.join(scratch, "lines-"));
  try {
    const files: string[] = [];
    for (const [name, content] of Object.entries(sides)) {
      const file = path.join(folder, name);
      await writeFile(file, content);
      files.push(file);
    }
    const args = ["merge-file", "--stdout", "--quiet", ...files];
    const end = await repository.run({ args, alsoReads: [folder], maxBytes: 4 * MOST_BYTES });
    if (end.exitCode === 0 && !end.cut) return { type: "merged", content: end.bytes };
    const count = end.exitCode !== null && end.exitCode < 128 ? end.exitCode : undefined;
    return {
      type: "conflict",
      reason:
        count === undefined
          ? `its lines could not be merged: ${end.errors}`
          : `the same lines were changed here and in the workspace (${count} ${count === 1 ? "place" : "places"})`,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
