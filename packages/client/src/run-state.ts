/** What a run is doing, from what is open of it. */
import type { RunState } from "./session-view.ts";
import { markChanged, type RunCell, type SessionCell } from "./run-cell.ts";

const REQUESTED: RunState = { type: "requested" };
const RUNNING: RunState = { type: "running" };
const FINISHING: RunState = { type: "finishing" };

const waiting = (on: "approval" | "run", isParked: boolean): RunState => ({ type: "waiting", on, isParked });

const FOR_APPROVAL = waiting("approval", false);
const FOR_RUN = waiting("run", false);
const PARKED_FOR_APPROVAL = waiting("approval", true);
const PARKED_FOR_RUN = waiting("run", true);

const stateOf = (cell: RunCell): RunState => {
  const { result, parkedOn, startedAt } = cell.view;
  if (result !== null) return { type: "settled", status: result.status };
  if (parkedOn !== null) return parkedOn.some(({ type }) => type === "approval") ? PARKED_FOR_APPROVAL : PARKED_FOR_RUN;
  if (startedAt === null) return REQUESTED;
  if (cell.openApprovals.size > 0) return FOR_APPROVAL;
  if (cell.openCalls.size > 0 && cell.waitingCalls === cell.openCalls.size) return FOR_RUN;
  return cell.view.isFinishing ? FINISHING : RUNNING;
};

/** Called after each event of a run, and on its parent where a run below begins or ends. */
export const updateState = (session: SessionCell, cell: RunCell): void => {
  markChanged(session, cell);
  if (cell.isSeen && cell.view.state.type !== "settled") cell.view.state = stateOf(cell);
};
