/** What the steps of a plan are at, in the colours and words of runs. */
import type { StepState } from "@retinue/protocol";
import type { StatusName } from "../parts/status.tsx";

export const STEP_STATUS: Readonly<Record<StepState, StatusName>> = {
  pending: "requested",
  in_progress: "running",
  completed: "completed",
  failed: "failed",
  skipped: "cancelled",
  blocked: "timeout",
};

export const STEP_WORDS: Readonly<Record<StepState, string>> = {
  pending: "pending",
  in_progress: "in progress",
  completed: "completed",
  failed: "failed",
  skipped: "skipped",
  blocked: "blocked",
};
