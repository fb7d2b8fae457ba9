/** The runs that a command has at work, in its one living line: it is there while there is any. */
import type { RunView } from "@retinue/client";
import type { LiveStatus } from "./live-status.ts";
import { drawRunLine } from "./run-line.ts";

export type LivingRuns = {
  /** Gives the way to leave. */
  readonly join: (root: () => RunView | undefined) => () => void;
};

export const createLivingRuns = (status: LiveStatus): LivingRuns => {
  const roots = new Set<() => RunView | undefined>();
  return {
    join: (root) => {
      roots.add(root);
      if (roots.size === 1)
        status.show(() => {
          const runs = [...roots].flatMap((one) => one() ?? []);
          return runs.length === 0 ? [] : drawRunLine(runs, { now: Date.now(), width: status.width(), sign: status.sign() });
        });
      return () => {
        if (roots.delete(root) && roots.size === 0) status.show(undefined);
      };
    },
  };
};
