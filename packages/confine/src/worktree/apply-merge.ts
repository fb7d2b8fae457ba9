/**
 * Carries out what a merge has planned, one file at a time. Each is looked at once more before it is touched: what is done already is not done
 * again, and what is no longer as it was planned for is left as it is and told.
 */
import path from "node:path";
import type { FileVersion, MergeConflict, MergeOutcome, PlannedChange, RunId } from "@retinue/protocol";
import type { MergePlan, RunWorktree } from "@retinue/runtime";
import { inFileTurn } from "../files/file-turns.ts";
import { removeEmptyFolders, removeFolder, removeInside } from "../files/remove-inside.ts";
import type { GitOptions } from "../git/repository.ts";
import type { ObjectFormat } from "./blob-id.ts";
import { formatOf } from "./blob-id.ts";
import { openSource } from "./open-source.ts";
import type { PlacedFile } from "./place-file.ts";
import { placeFile, removeLeftover } from "./place-file.ts";
import { EXECUTABLE_MODE, LINK_MODE, readVersion, splitVersion } from "./read-version.ts";

/** A plain file of the workspace that a merge is about to write or, where `after` is null, to delete. */
export type MergedFile = {
  readonly runId: RunId;
  /** The workspace that is merged into. */
  readonly root: string;
  readonly file: string;
  readonly after: Buffer | null;
  /** What stands there may be run. */
  readonly wasExecutable: boolean;
};

export type ApplyMergeOptions = GitOptions & {
  /** Called before each file is changed, so that what stands there can be kept. Nothing that it throws stops the merge. */
  readonly beforeMerge?: (merged: MergedFile) => Promise<void>;
};

type Merged = Pick<MergeOutcome, "created" | "modified" | "deleted" | "conflicts">;

const CHANGED_SINCE = "it was changed in the workspace while it was being merged";
const CHANGES_AT_ONCE = 64;

export const applyMerge = async (
  of: RunWorktree,
  { changes, conflicts: known }: MergePlan,
  { beforeMerge, ...options }: ApplyMergeOptions,
  signal: AbortSignal,
): Promise<Merged> => {
  const { git } = await openSource({ ...options, workspace: of.of, signal });
  const created: string[] = [];
  const modified: string[] = [];
  const deleted: string[] = [];
  const conflicts: MergeConflict[] = [...known];
  for (let at = 0; at < changes.length; at += CHANGES_AT_ONCE) {
    const some = changes.slice(at, at + CHANGES_AT_ONCE);
    const contents = await git.readBlobs(some.flatMap(({ to }) => (to === null ? [] : splitVersion(to).id)));
    for (const change of some) {
      const reason = await applyChange({
        root: of.of,
        runId: of.runId,
        format: formatOf(splitVersion(change.to ?? change.from ?? "").id),
        change,
        contents,
        beforeMerge,
      }).catch((thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)));
      if (reason !== null) conflicts.push({ path: change.path, reason });
      else (change.to === null ? deleted : change.from === null ? created : modified).push(change.path);
    }
  }
  return { created: created.toSorted(), modified: modified.toSorted(), deleted: deleted.toSorted(), conflicts };
};

type Application = {
  readonly root: string;
  readonly runId: RunId;
  readonly format: ObjectFormat;
  readonly change: PlannedChange;
  readonly contents: ReadonlyMap<string, Buffer>;
  readonly beforeMerge: ApplyMergeOptions["beforeMerge"];
};

/** Null when the workspace is as planned; otherwise why it is not. */
const applyChange = async ({ root, runId, format, change, contents, beforeMerge }: Application): Promise<string | null> => {
  const { path: file, from, to } = change;
  return inFileTurn([path.join(root, file)], async () => {
    const standing = await readVersion({ root, file, format });
    if (standing.type === "unusable") return standing.why;
    if (standing.type === "folder") {
      if (from !== null || to === null || !(await removeFolder(root, file)))
        return "a folder stands in its place in the workspace";
    }
    const now: FileVersion | null = standing.type === "file" || standing.type === "link" ? standing.version : null;
    // Also of a file that is done: it may have been given its name and no more.
    await removeLeftover({ root, file, runId });
    if (now === to) {
      if (to === null && from !== null) await removeEmptyFolders({ root, file });
      return null;
    }
    if (now !== from) return CHANGED_SINCE;
    const before = { runId, root, file, wasExecutable: from !== null && splitVersion(from).mode === EXECUTABLE_MODE };
    if (to === null) {
      await beforeMerge?.({ ...before, after: null }).catch(() => undefined);
      await removeInside({ root, file });
    } else {
      const { id, mode } = splitVersion(to);
      const content = contents.get(id) ?? Buffer.alloc(0);
      if (mode !== LINK_MODE) await beforeMerge?.({ ...before, after: content }).catch(() => undefined);
      await placeFile({ root, file, runId, isNew: from === null, content, type: TYPES.get(mode) ?? "plain" });
    }
    return null;
  });
};

const TYPES = new Map<string, PlacedFile["type"]>([
  [LINK_MODE, "link"],
  [EXECUTABLE_MODE, "executable"],
]);
