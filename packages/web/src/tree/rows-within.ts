/** The rows of a conversation that lie within a selected time. What waits for a human is kept, with the runs above it: no selection hides a question. */
import type { RunView } from "@retinue/client";
import type { RunId } from "@retinue/protocol";
import { isCallWithin, isMessageWithin, isRunWithin, isStepWithin, isWithin, type TimeRange } from "../session/time-range.ts";
import type { Row } from "./rows.ts";

const isRowWithin = (row: Row, range: TimeRange): boolean => {
  const { run } = row;
  switch (row.type) {
    case "asked":
    case "task":
      return isWithin(run.requestedAt, range);
    case "run":
      return true;
    case "message":
      return isMessageWithin(row.message, range);
    case "said":
      return isStepWithin(row.step, range);
    case "call":
      return isCallWithin(row.call, range, row.step);
    case "plan": {
      const call = run.calls.get(row.plan.callId);
      return call === undefined || isCallWithin(call, range);
    }
    case "approval":
      return true;
    case "ending":
      return isWithin(run.endedAt, range);
    // Until its steps are loaded, nobody knows.
    case "unloaded":
      return true;
  }
};

export const rowsWithin = (rows: readonly Row[], range: TimeRange, isAwaited: (runId: RunId) => boolean): readonly Row[] => {
  const runs = new Map<RunView, boolean>();
  const isAtWork = (run: RunView): boolean => {
    const known = runs.get(run) ?? isRunWithin(run, range);
    runs.set(run, known);
    return known;
  };
  return rows.filter((row) => {
    if (row.type === "approval") return true;
    if (row.type === "run" && isAwaited(row.run.runId)) return true;
    return isAtWork(row.run) && isRowWithin(row, range);
  });
};
