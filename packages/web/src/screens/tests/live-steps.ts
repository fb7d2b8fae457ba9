/** What the steps of a case are at while it is carried out, read from the plan in the session of the case. */
import type { RunView, SessionView } from "@retinue/client";
import type { StepState } from "@retinue/protocol";
import { describeActivity } from "../../tree/describe-call.ts";

export type LiveStep = {
  readonly state: StepState;
  /** What is being done now. */
  readonly activity: string;
  /** Artifacts that are pictures, in order. */
  readonly pictures: readonly string[];
};

/** A step of the case may be several of the plan: `3-1`, `3-2`. */
const numberOf = (stepId: string): number | null => {
  const [, number] = /^(\d+)(?:-\d+)?$/.exec(stepId) ?? [];
  return number === undefined ? null : Number(number);
};

const together = (states: readonly StepState[]): StepState => {
  for (const state of ["failed", "in_progress", "blocked"] as const) if (states.includes(state)) return state;
  if (states.length > 0 && states.every((state) => state === "completed")) return "completed";
  if (states.length > 0 && states.every((state) => state === "skipped")) return "skipped";
  return states.includes("completed") ? "in_progress" : "pending";
};

const picturesOf = (run: RunView): readonly string[] =>
  [...run.calls.values()].flatMap(({ artifact }) =>
    artifact !== null && "mediaType" in artifact && artifact.mediaType.startsWith("image/") ? [artifact.artifactId] : [],
  );

/** One for each number from 1 on. */
export const toLiveSteps = (view: SessionView, count: number): readonly LiveStep[] => {
  const plan = [...view.runs.values()]
    .flatMap(({ plans }) => [...plans.values()])
    .findLast(({ steps }) => steps.has("1") || steps.has("1-1"));
  const parts = [...(plan?.steps.values() ?? [])];
  return Array.from({ length: count }, (_, index) => {
    const own = parts.filter(({ step }) => numberOf(step.id) === index + 1);
    const runs = own.flatMap(({ runId }) => (runId === null ? [] : (view.runs.get(runId) ?? [])));
    const working = runs.find(({ state }) => state.type !== "settled");
    return {
      state: together(own.map(({ state }) => state)),
      activity: working === undefined ? "" : describeActivity(working),
      pictures: runs.flatMap(picturesOf),
    };
  });
};
