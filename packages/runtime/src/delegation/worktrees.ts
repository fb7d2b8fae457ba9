/**
 * Worktrees: copies of a workspace in which single runs work, and the merging of what they did there. Whoever hosts the engine provides them;
 * `@retinue/confine` does so with git. Nothing of the user's repository changes but files of the workspace, and those only by `merge`.
 */
import type { FileVersion, Grant, MergeConflict, MergeOutcome, PlannedChange, RunId, Worktree } from "@retinue/protocol";

/** A worktree and the run it belongs to. */
export type RunWorktree = Worktree & {
  readonly runId: RunId;
  /** The folder of the worktree that stands for the workspace. */
  readonly workspace: string;
};

/** Everything that a run did in its worktree. */
export type KeptWork = {
  /** The commit that holds it; null where the run changed nothing. */
  readonly commit: string | null;
  /** What no commit can hold, such as a repository inside the worktree. Only the worktree's folder has it. */
  readonly unkept: readonly MergeConflict[];
};

export type MergePlan = { readonly changes: readonly PlannedChange[]; readonly conflicts: readonly MergeConflict[] };

export type WorktreePlace = { readonly workspace: string; readonly worktree: Worktree };

export type Worktrees = {
  /** Where a worktree of that name would stand. Throws `worktree_unavailable` where there can be none. */
  readonly place: (workspace: string, name: string, signal: AbortSignal) => Promise<WorktreePlace>;
  /** Makes it from the workspace as it is now, and gives the commit of that state. What an earlier attempt left is taken away first. */
  readonly make: (of: RunWorktree, signal: AbortSignal) => Promise<string>;
  /** Whether it stands. Locks of git that a dead process left in it are removed, so that it can be worked in. */
  readonly exists: (of: RunWorktree) => Promise<boolean>;
  /** Keeps what the run did under a ref of its own. `measured` are files that it is known to have written, also where git ignores them. */
  readonly keep: (of: RunWorktree, base: string, measured: readonly string[]) => Promise<KeptWork>;
  /** Compares what the run did with the workspace as it is now; writes nothing to it. */
  readonly plan: (
    of: RunWorktree,
    work: { readonly base: string; readonly commit: string; readonly writes: Grant["writes"] },
  ) => Promise<MergePlan>;
  /** Carries a plan out. What is done already is not done again, and what somebody has changed since is left and told. */
  readonly merge: (
    of: RunWorktree,
    plan: MergePlan,
  ) => Promise<Pick<MergeOutcome, "created" | "modified" | "deleted" | "conflicts">>;
  /** Takes the worktree away, and the ref with it where nothing depends on that. */
  readonly remove: (of: RunWorktree, options: { readonly keepRef: boolean }) => Promise<void>;
  /** Those that were made and not taken away, by whatever process. */
  readonly list: () => Promise<readonly RunWorktree[]>;
};

/** Keeps the objects of a run's worktree, and what it did where that was not all merged. */
export const worktreeRef = (runId: RunId): string => `refs/retinue/${runId}`;

/** What a merge knows of a file. */
export const toFileVersion = (mode: string, id: string): FileVersion => `${mode} ${id}`;
