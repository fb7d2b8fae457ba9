/** What became of a test case in the words of its design: each sub-task that was begun, and all of them together, read from the record of the case. */
import type { EventOf, OrchestratorResult, RecordedEvent, RunId, SubTaskResult } from "@retinue/protocol";
import type { CaseResult } from "@retinue/protocol/test-case";

export const toOrchestratorResult = (
  { verdict, summary, reason }: Pick<CaseResult, "verdict" | "summary" | "reason">,
  events: readonly RecordedEvent[],
): OrchestratorResult => {
  const results = readSubTasks(events);
  return {
    status: verdict === "pass" ? "pass" : "fail",
    summary: summary === "" ? reason : summary,
    sub_task_results: results,
    total_iterations: results.reduce((sum, { iterations }) => sum + iterations, 0),
  };
};

/** A sub-task that was tried again is one result, with the iterations of every try. What cleans up after the case is another plan. */
const readSubTasks = (events: readonly RecordedEvent[]): readonly SubTaskResult[] => {
  const steps = events.filter((event) => event.type === "plan.step");
  const ofCase = steps.filter(({ callId }) => callId === steps[0]?.callId);
  const settled = new Map(
    events.flatMap((event) => (event.type === "run.settled" ? [[event.runId, event.result] as const] : [])),
  );
  const byStep = Map.groupBy(ofCase, ({ stepId }) => stepId);
  return [...byStep.values()].flatMap((told) => {
    const runs = [...new Set(told.flatMap(({ stepRunId }) => stepRunId ?? []))].flatMap(
      (runId: RunId) => settled.get(runId) ?? [],
    );
    const last = told.at(-1);
    if (last === undefined || runs.length === 0) return [];
    const isPassed = last.state === "completed";
    return {
      status: isPassed ? ("pass" as const) : ("fail" as const),
      summary: toSummary(last, runs.at(-1)?.summary),
      iterations: runs.reduce((sum, { iterations }) => sum + iterations, 0),
      error: isPassed ? null : (runs.at(-1)?.error?.message ?? toSummary(last, runs.at(-1)?.summary)),
    };
  });
};

const toSummary = ({ summary }: EventOf<"plan.step">, said: string | undefined): string => summary ?? said ?? "";
