/** For views that draw everything of many runs at once: what was not loaded is, and whoever draws can tell how much is still missing. */
import type { RunView } from "@retinue/client";
import { useEffect } from "react";
import type { LiveSession } from "./live-session.ts";

/** How many of the runs are not here whole. */
export const useWholeRuns = (session: LiveSession, runs: readonly RunView[]): number => {
  const missing = runs.reduce((count, { isBrief, unloaded }) => count + (isBrief || unloaded.length > 0 ? 1 : 0), 0);
  // Each piece that comes draws again, and asks for what is missing then.
  useEffect(() => void (missing > 0 && session.pieces.loadWhole(runs)));
  return missing;
};
