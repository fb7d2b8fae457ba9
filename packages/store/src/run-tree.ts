/** The runs of a session as a tree. */
import type { RunId } from "@retinue/protocol";
import type { RunNode } from "./read-side.ts";

/** From runs in the order in which they were requested; a run whose parent is not among them is a root. */
export const toTree = (runs: readonly Omit<RunNode, "children">[]): readonly RunNode[] => {
  const childrenOf = new Map<RunId, RunNode[]>();
  const roots: RunNode[] = [];
  for (const run of runs) {
    const children: RunNode[] = [];
    const siblings = run.parentRunId === null ? roots : (childrenOf.get(run.parentRunId) ?? roots);
    siblings.push({ ...run, children });
    childrenOf.set(run.runId, children);
  }
  return roots;
};
