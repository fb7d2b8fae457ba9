/** What a parent, or whoever reads a result, is told when changes of a worktree did not get where they belong, and how to see them. */
import type { MergeOutcome } from "@retinue/protocol";

const MOST_TOLD = 20;

export const mergeWarnings = ({ conflicts, ref, notMerged, left }: MergeOutcome): readonly string[] => [
  ...(notMerged === undefined ? [] : [`The changes of this run were not merged: ${notMerged}`]),
  ...conflicts.slice(0, MOST_TOLD).map(({ path, reason }) => `Not merged: ${path}: ${reason}`),
  ...(conflicts.length > MOST_TOLD ? [`Not merged: ${conflicts.length - MOST_TOLD} more files`] : []),
  ...(ref === null
    ? []
    : [
        `Everything this run did is kept as ${ref}. To see it: git diff ${ref}^ ${ref}${conflicts.length > 0 ? " -- <path>" : ""}; to take a file of it: git checkout ${ref} -- <path>.`,
      ]),
  ...(left === undefined ? [] : [`What could not be kept in the repository is still in ${left}.`]),
];
