/** Agents that have ended, as a tree that is written once: whole, and each only the first time that it is asked for. */
import type { RunView } from "@retinue/client";
import type { RunId } from "@retinue/protocol";
import type { Row } from "../screen/row.ts";
import { drawTree } from "./agent-tree.ts";
import { nameRuns } from "./run-names.ts";

const MOST_ROWS = 200;

export type EndedAgents = {
  /** Those directly below the run that have settled since it was last asked. */
  readonly take: (root: RunView, width: number) => readonly Row[];
};

export const createEndedAgents = (): EndedAgents => {
  const written = new Set<RunId>();
  return {
    take: (root, width) => {
      const ended = root.children.filter(({ runId, state }) => state.type === "settled" && !written.has(runId));
      if (ended.length === 0) return [];
      const folds = new Map<RunId, boolean>();
      const open = (run: RunView): void => {
        written.add(run.runId);
        folds.set(run.runId, false);
        run.children.forEach(open);
      };
      ended.forEach(open);
      const names = nameRuns([root]);
      return drawTree({ roots: ended, names, now: Date.now(), width, mostRows: MOST_ROWS, folds, lastEventAt: () => undefined })
        .rows;
    },
  };
};
