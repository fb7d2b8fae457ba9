/** What becomes of one file that a run changed: taken as it is, merged with what the workspace holds by now, or left for somebody to decide. */
import type { FileVersion } from "@retinue/protocol";
import { toFileVersion } from "@retinue/runtime";
import { LINK_MODE, splitVersion } from "./read-version.ts";

/** One file in three states. Null: no such file. */
export type ThreeWay = {
  /** As the run found it. */
  readonly base: FileVersion | null;
  /** As the run left it. */
  readonly theirs: FileVersion | null;
  /** As it stands in the workspace. */
  readonly ours: FileVersion | null;
};

export type FileMerge =
  | { readonly type: "same" }
  | { readonly type: "take"; readonly version: FileVersion | null }
  /** The lines have to be merged; `mode` is settled. */
  | { readonly type: "lines"; readonly mode: string }
  | { readonly type: "conflict"; readonly reason: string };

export const mergeFile = ({ base, theirs, ours }: ThreeWay): FileMerge => {
  if (ours === theirs) return { type: "same" };
  if (ours === base) return { type: "take", version: theirs };
  if (theirs === null) return conflict("this run deleted it, and it was changed in the workspace meanwhile");
  if (ours === null) return conflict("this run changed it, and it was deleted in the workspace meanwhile");
  const [mine, other] = [splitVersion(ours), splitVersion(theirs)];
  if (base === null)
    return mine.id === other.id && !isLink(mine) && !isLink(other)
      ? { type: "take", version: toFileVersion(other.mode, other.id) }
      : conflict("it was created here and in the workspace, with different content");
  const origin = splitVersion(base);
  if ([mine, other, origin].some(isLink)) return conflict("it is a symbolic link on one side and was changed on both");
  const mode = other.mode === origin.mode ? mine.mode : other.mode;
  if (other.id === origin.id || other.id === mine.id) return { type: "take", version: toFileVersion(mode, mine.id) };
  if (mine.id === origin.id) return { type: "take", version: toFileVersion(mode, other.id) };
  return { type: "lines", mode };
};

const isLink = ({ mode }: { readonly mode: string }): boolean => mode === LINK_MODE;

const conflict = (reason: string): FileMerge => ({ type: "conflict", reason });
