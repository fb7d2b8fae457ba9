/**
 * What a run and everything below it may ever do. Grants only shrink on the way down: a list of lists is read as "one of each", so that a
 * child's conditions come on top of its parent's.
 */

/** How acts that are more than reading are treated. */
export type ApproveMode = "ask" | "read-only" | "workspace" | "all";

export type Grant = {
  /** Names of tools that this run may hand on. What it may use itself is `RunSpec.tools`. */
  readonly tools: readonly string[];
  /** A path may be written if each list has a glob that matches it. No lists: anywhere in the workspace. */
  readonly writes: readonly (readonly string[])[];
  /** A host may be reached if each list has a pattern that matches it. */
  readonly hosts: readonly (readonly string[])[];
  readonly approve: ApproveMode;
  /** Runs deeper than this are not started. */
  readonly maxDepth: number;
};

/** From what is allowed without asking the least to the most. */
export const APPROVE_MODES = ["read-only", "ask", "workspace", "all"] as const satisfies readonly ApproveMode[];
