/** The files that may have been meant by a path at which there is none: only those that the run may read, by the same list as `glob`. */
import path from "node:path";
import type { ToolContext } from "@retinue/runtime";
import { createReadCheck } from "@retinue/runtime";
import { editDistance } from "@retinue/protocol/names";
import { RetinueError } from "@retinue/protocol";
import type { IsSecret } from "@retinue/confine";
import { listUnordered, openFolder, toShownPath } from "@retinue/confine";

const MOST_FILES = 20_000;
const MOST_NAMED = 3;
const LONGEST = 200;

export type MissingFile = Pick<ToolContext, "workspace" | "scope" | "signal"> & {
  readonly tool: string;
  /** As the model reads it. */
  readonly shown: string;
  readonly isSecret: IsSecret;
};

/** Nearest first: the same name in another folder, then by how much of the name would change. */
export const findNearestFiles = async ({
  tool,
  workspace,
  scope,
  signal,
  shown,
  isSecret,
}: MissingFile): Promise<readonly string[]> => {
  await using opened = await openFolder({ workspace, absolute: workspace, shown: ".", isSecret });
  const { files } = await listUnordered(opened, signal, []);
  if (files.length > MOST_FILES || shown.length > LONGEST) return [];
  const isReadable = createReadCheck(tool, scope);
  const name = path.basename(shown).toLowerCase();
  return files
    .map((file) => ({ file: toShownPath(workspace, path.join(workspace, file)), edits: nameEdits(name, file) }))
    .filter(({ file, edits }) => edits <= Math.max(1, Math.floor(name.length / 3)) && isReadable(file))
    .toSorted(
      (a, b) => a.edits - b.edits || editDistance(shown, a.file) - editDistance(shown, b.file) || (a.file < b.file ? -1 : 1),
    )
    .slice(0, MOST_NAMED)
    .map(({ file }) => file);
};

const nameEdits = (name: string, file: string): number => {
  const other = path.basename(file).toLowerCase();
  return other.length > LONGEST ? Infinity : editDistance(name, other);
};

/** The error of a file that could not be opened, with the files that may have been meant where there is none. */
export const withNearestFiles = async (thrown: unknown, missing: MissingFile): Promise<unknown> => {
  if (!(thrown instanceof RetinueError) || !thrown.message.endsWith("does not exist.")) return thrown;
  const near = await findNearestFiles(missing).catch(() => []);
  if (near.length === 0) return thrown;
  return new RetinueError(thrown.code, `${thrown.message} The nearest: ${near.join(", ")}.`, {
    hint: "Name one of them, or look with glob.",
  });
};
