/** What is folded: runs that have settled are, unless a person opened them; what waits for a human never is. */
import type { RunView } from "@retinue/client";
import type { RunId } from "@retinue/protocol";
import { useCallback, useState } from "react";

export type Folds = {
  readonly isOpen: (run: RunView) => boolean;
  readonly toggle: (run: RunView, isOpen?: boolean) => void;
  readonly isUnfolded: (key: string) => boolean;
  readonly unfold: (key: string) => void;
};

const opensByItself = ({ depth, state }: RunView): boolean => depth === 0 || state.type !== "settled";

export const useFolds = (): Folds => {
  const [chosen, setChosen] = useState<ReadonlyMap<RunId, boolean>>(new Map());
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const isOpen = useCallback((run: RunView) => chosen.get(run.runId) ?? opensByItself(run), [chosen]);
  const toggle = useCallback(
    (run: RunView, next?: boolean) =>
      setChosen((before) => new Map(before).set(run.runId, next ?? !(before.get(run.runId) ?? opensByItself(run)))),
    [],
  );
  const isUnfolded = useCallback((key: string) => unfolded.has(key), [unfolded]);
  const unfold = useCallback(
    (key: string) =>
      setUnfolded((before) => {
        const next = new Set(before);
        if (!next.delete(key)) next.add(key);
        return next;
      }),
    [],
  );
  return { isOpen, toggle, isUnfolded, unfold };
};
