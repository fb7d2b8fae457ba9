/** The tree of runs for programs: the rows of the record, each with what the view tells of the run. */
import { type RunView, type SessionView, toLimitUses } from "@retinue/client";
import type { RunNode } from "@retinue/store";

export type ShownRun = Omit<RunNode, "children"> & {
  readonly state: RunView["state"] | null;
  /** What the run spent itself, and with everything below it. */
  readonly own: RunView["own"] | null;
  readonly inclusive: RunView["inclusive"] | null;
  /** How much of its limits it used, and what remains. */
  readonly limits: ReturnType<typeof toLimitUses>;
  /** Who goes on with the conversation in its place. */
  readonly transferredTo: RunView["transferredTo"];
  readonly todo: RunView["todo"];
  readonly queuedMessages: readonly unknown[];
  readonly cancelRequests: RunView["cancelRequests"];
  readonly children: readonly ShownRun[];
};

export const toShownRuns = (nodes: readonly RunNode[], view: SessionView): readonly ShownRun[] =>
  nodes.map((node) => {
    const run = view.runs.get(node.runId);
    return {
      ...node,
      state: run?.state ?? null,
      own: run?.own ?? null,
      inclusive: run?.inclusive ?? null,
      limits: run ? toLimitUses(run) : [],
      transferredTo: run?.transferredTo ?? null,
      todo: run?.todo ?? null,
      queuedMessages: run ? [...run.queuedMessages.values()] : [],
      cancelRequests: run?.cancelRequests ?? [],
      children: toShownRuns(node.children, view),
    };
  });
