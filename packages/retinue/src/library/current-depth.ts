/** How deep the run is that the running code belongs to: 0 for the main agent and outside of runs. It travels with async calls, so that a tool can ask. */
import { currentRun } from "@retinue/engine";

export const currentDepth = (): number => currentRun()?.depth ?? 0;
