/**
 * Runs in worktrees of their own: the worktree is made before the run starts, what the run did is kept and merged before it settles, and the worktree is
 * taken away after. Every step is recorded before the next, so that whoever goes on with such a run knows where it stands.
 */
import type { ErrorValue, MergeOutcome, RecordedBody, RunId, RunStatus } from "@retinue/protocol";
import { RetinueError, toErrorValue } from "@retinue/protocol";
import type { KeptWork, RunState, RunWorktree, WorktreePlace, Worktrees } from "@retinue/runtime";
import { worktreeRef } from "@retinue/runtime";
import type { EventLog } from "@retinue/store";
import type { MergeTurn } from "./merge-order.ts";

export type WorktreeRuns = {
  /** Where a worktree of a workspace would stand; one after the other, in the order of the asking. */
  readonly place: (workspace: string, name: string, signal: AbortSignal) => Promise<WorktreePlace>;
  /** Makes what the run needs before it starts. */
  readonly prepare: (state: RunState, signal: AbortSignal) => AsyncGenerator<RecordedBody>;
  /** Merges what the run did, or keeps it where it is not to be merged. */
  readonly bringBack: (state: RunState, how: BringBack) => AsyncGenerator<RecordedBody>;
  /** Takes the worktree of a settled run away. */
  readonly clear: (state: RunState) => Promise<void>;
  /** Takes away what settled runs of this record left behind when a process ended. */
  readonly sweep: (isActive: (runId: RunId) => boolean) => Promise<void>;
};

export type BringBack = { readonly status: RunStatus; readonly mergeTurn: MergeTurn | null; readonly signal: AbortSignal };

const NOTHING: Pick<MergeOutcome, "created" | "modified" | "deleted" | "conflicts"> = {
  created: [],
  modified: [],
  deleted: [],
  conflicts: [],
};

export const createWorktreeRuns = (provided: Worktrees | undefined, log: EventLog): WorktreeRuns => {
  let placing: Promise<unknown> = Promise.resolve();
  /** By workspace: one merge at a time. */
  const merging = new Map<string, Promise<unknown>>();
  const need = (): Worktrees => {
    if (!provided) throw new RetinueError("worktree_unavailable", "Nothing here makes worktrees.");
    return provided;
  };

  /** Held from the first look at a workspace to the last file that is written to it. */
  const hold = async (workspace: string): Promise<() => void> => {
    const before = merging.get(workspace);
    const { promise, resolve } = Promise.withResolvers<void>();
    const mine = (before ?? Promise.resolve()).then(() => promise);
    merging.set(workspace, mine);
    await before;
    return () => {
      if (merging.get(workspace) === mine) merging.delete(workspace);
      resolve();
    };
  };

  const mergeBack = async function* (state: RunState, of: RunWorktree, how: BringBack): AsyncGenerator<RecordedBody> {
    const worktrees = need();
    const { base, merging: begun } = state.worktree ?? { base: "", merging: null };
    const ref = worktreeRef(of.runId);
    if (!begun && !(await worktrees.exists(of))) {
      yield { type: "worktree.merged", ...NOTHING, ref: null, notMerged: "the worktree is gone, and what was in it." };
      return;
    }
    const kept: KeptWork = begun
      ? { commit: begun.commit, unkept: [] }
      : await worktrees.keep(of, base, [...state.filesCreated, ...state.filesModified]);
    const { commit, unkept } = kept;
    const left = unkept.length > 0 ? { left: of.folder } : {};
    const reason = begun || commit === null ? undefined : await whyNot(how);
    if (commit === null || reason !== undefined) {
      const rest = commit === null ? { ref: null } : { ref, notMerged: reason ?? "" };
      yield { type: "worktree.merged", ...NOTHING, conflicts: unkept, ...rest, ...left };
      return;
    }
    const release = await hold(of.of);
    try {
      let plan = begun;
      if (!plan) {
        const { changes, conflicts } = await worktrees.plan(of, { base, commit, writes: state.spec.grant.writes });
        plan = { commit, changes, conflicts: [...unkept, ...conflicts] };
        yield { type: "worktree.merging", ...plan };
      }
      const merged = await worktrees.merge(of, plan);
      yield { type: "worktree.merged", ...merged, ref: merged.conflicts.length > 0 ? ref : null, ...left };
    } finally {
      release();
    }
  };

  return {
    place: async (workspace, name, signal) => {
      const mine = placing.then(() => need().place(workspace, name, signal));
      placing = mine.catch(() => undefined);
      return mine;
    },
    prepare: async function* (state, signal) {
      const of = toRunWorktree(state);
      if (!of || state.worktree?.merged || state.failure) return;
      try {
        const worktrees = need();
        if (state.worktree) {
          if (!(await worktrees.exists(of)))
            throw new RetinueError("worktree_unavailable", `The worktree ${of.folder} that this run worked in is gone.`);
          return;
        }
        yield { type: "worktree.made", base: await worktrees.make(of, signal) };
      } catch (thrown) {
        // A run that is no longer wanted ends by that.
        if (!signal.aborted) yield { type: "worktree.refused", error: toUnavailable(thrown) };
      }
    },
    bringBack: async function* (state, how) {
      const of = toRunWorktree(state);
      if (!of || !state.worktree || state.worktree.merged) return;
      try {
        yield* mergeBack(state, of, how);
      } catch (thrown) {
        const { message } = toErrorValue(thrown);
        yield { type: "worktree.merged", ...NOTHING, ref: worktreeRef(of.runId), notMerged: message, left: of.folder };
      }
    },
    clear: async (state) => {
      const of = toRunWorktree(state);
      if (!of || !provided || state.worktree?.merged?.left !== undefined) return;
      await provided
        .remove(of, { keepRef: state.worktree !== null && state.worktree.merged?.ref !== null })
        .catch(() => undefined);
    },
    sweep: async (isActive) => {
      for (const place of (await provided?.list()) ?? []) {
        if (isActive(place.runId)) continue;
        const sessionId = await log.sessionOf(place.runId);
        if (sessionId === undefined) continue;
        const events = (await log.read(sessionId)).filter(({ runId }) => runId === place.runId);
        if (!events.some(({ type }) => type === "run.settled")) continue;
        const merged = events.findLast((event) => event.type === "worktree.merged");
        if (merged?.type === "worktree.merged" && merged.left !== undefined) continue;
        await provided
          ?.remove(place, { keepRef: merged?.type !== "worktree.merged" || merged.ref !== null })
          .catch(() => undefined);
      }
    },
  };
};

export const toRunWorktree = ({ identity, spec }: RunState): RunWorktree | undefined =>
  spec.worktree && { ...spec.worktree, runId: identity.runId, workspace: spec.workspace };

const toUnavailable = (thrown: unknown): ErrorValue => {
  const error = toErrorValue(thrown);
  if (error.code === "worktree_unavailable") return error;
  return toErrorValue(new RetinueError("worktree_unavailable", `The worktree could not be made: ${error.message}`));
};

/** Why changes are kept and not merged; undefined where they are to be, and their turn has come. */
const whyNot = async ({ status, mergeTurn, signal }: BringBack): Promise<string | undefined> => {
  if (status !== "completed" && status !== "partial") return `the run ended as ${status}.`;
  try {
    await mergeTurn?.turn(signal);
    return undefined;
  } catch {
    return "it was cancelled before its turn came.";
  }
};
