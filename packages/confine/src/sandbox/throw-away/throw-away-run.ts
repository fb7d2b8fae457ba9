/** What a run in a sandbox does with a throw-away copy: opens one where the command may not write the workspace, and afterwards takes back what it may. */
import type { ToolScope } from "@retinue/runtime";
import type { Tree } from "./list-tree.ts";
import { isChanged, listTree } from "./list-tree.ts";
import type { TakenBack } from "./take-back.ts";
import { canTakeBack, NOTHING_TAKEN, takeBack } from "./take-back.ts";
import type { CopyOptions, ThrowAwayCopy } from "./throw-away-copy.ts";
import { openThrowAwayCopy } from "./open-throw-away-copy.ts";

export type ThrowAwayRun = CopyOptions & {
  readonly writes: ToolScope["writes"];
  readonly unprotected: readonly string[];
  /** Files that something trusted runs, absolute. */
  readonly bound: readonly string[];
  /** Paths that the command writes in the workspace itself. */
  readonly opened: readonly string[];
};

export type OpenedCopy = ThrowAwayCopy & {
  /** To be called when the command has ended, and before the copy is removed. Never throws: what could not be taken back is told. */
  readonly takeBack: () => Promise<TakenBack & { readonly failure?: string }>;
};

export const openCopyForRun = async (run: ThrowAwayRun): Promise<OpenedCopy> => {
  const { workspace, writes, unprotected, bound, opened, signal } = run;
  const before = canTakeBack(writes) ? await listTree({ folder: workspace, signal }) : undefined;
  const copy = await openThrowAwayCopy(run);
  return {
    ...copy,
    takeBack: async () => {
      try {
        if (before === undefined) return { ...NOTHING_TAKEN, dropped: await listWritten(copy).catch(() => []) };
        return await takeBack({ workspace, copy, before, writes, unprotected, bound, opened });
      } catch (thrown) {
        return { ...NOTHING_TAKEN, failure: thrown instanceof Error ? thrown.message : String(thrown) };
      }
    },
  };
};

/** Of a copy from which nothing comes back. */
const listWritten = async (copy: ThrowAwayCopy): Promise<readonly string[]> => {
  const after: Tree = await listTree({ folder: copy.written });
  return [...after].flatMap(([file, entry]) =>
    (entry.kind === "file" || entry.kind === "link") && (copy.before === undefined || isChanged(copy.before.get(file), entry))
      ? file
      : [],
  );
};
