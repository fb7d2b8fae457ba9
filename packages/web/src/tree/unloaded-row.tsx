/** Stands where steps of a large session will be: they are loaded once it comes near the window. */
import type { RunView, StepRange } from "@retinue/client";
import { useEffect } from "react";
import { plural } from "../parts/amounts.ts";
import { useScene } from "../session/session-context.ts";

/** What a step takes on average, with its call. */
const STEP_PX = 96;

export const estimateUnloaded = ({ from, to }: StepRange): number => (to - from) * STEP_PX;

export const UnloadedRow = ({ run, range }: { readonly run: RunView; readonly range: StepRange }) => {
  const { session } = useScene();
  const { from, to } = range;
  // Drawn again, it asks again: a request may have failed.
  useEffect(() => session.pieces.loadSteps(run, { from, to }));
  return (
    <div className="unloaded" style={{ height: estimateUnloaded(range) }} aria-busy="true">
      <span className="quiet small">{plural(to - from, "step")} …</span>
    </div>
  );
};
