/**
 * The one reducer from events to the view that every surface draws from. An event costs as much as its run is deep; nothing is copied.
 * The same recorded events give the same view, however they were cut into pieces, repeated, or mixed with live ones.
 */
import { isLive, type RetinueEvent, type RunId, type SessionId } from "@retinue/protocol";
import { applyLive, applyRecorded } from "./apply-event.ts";
import { listOf, markChanged, noSpending, type SessionCell } from "./run-cell.ts";
import { updateState } from "./run-state.ts";
import { cellOf } from "./run-tree.ts";
import { loadRest, loadSteps } from "./snapshot/load-pieces.ts";
import { restoreSession } from "./snapshot/restore-session.ts";
import type { RunPart, StepsPage, ViewSnapshot } from "./snapshot/view-snapshot.ts";
import type { SessionView } from "./session-view.ts";

/**
 * applied: the view has it. known: it was applied before. late: a live event of what has ended, or of a run that was not seen. gap:
 * events before it are missing. foreign: it belongs to another session.
 */
export type ApplyOutcome = "applied" | "known" | "late" | "gap" | "foreign";

/** known: the view has it, or knows no such run. */
export type LoadOutcome = "loaded" | "known" | "early" | "stale";

export type SessionStore = {
  /** The same object always; written to by `apply`. */
  readonly view: SessionView;
  /**
   * Takes one more event, recorded or live. What comes too early (`gap`) is not taken: `view.gap` tells what is missing, and the feed is
   * read again after `view.lastSeq`.
   */
  readonly apply: (event: RetinueEvent) => ApplyOutcome;
  /**
   * Takes what was left out of a run that is only a head here. `early`: it stands at an event that the view has not come to, and is given again
   * then. `stale`: the run has changed since, and it is asked for again.
   */
  readonly loadPart: (part: RunPart) => LoadOutcome;
  /** Takes steps that were left out. */
  readonly loadSteps: (page: StepsPage) => LoadOutcome;
  /** The runs that have changed since this was last asked, with those above them whose sums have. */
  readonly takeChanged: () => readonly RunId[];
};

export type SessionViewOptions = {
  /** The feed leaves out events on purpose, as that of one run among several of a session: a gap is told, and the event is taken. */
  readonly isPartial?: boolean;
  /** The recorded events themselves are kept with their runs, unless it is false: whoever draws only what is happening needs them no more. */
  readonly keepsLog?: boolean;
  /** What the view begins with, in place of nothing. */
  readonly snapshot?: ViewSnapshot;
};

export const createSessionView = (sessionId: SessionId, options: SessionViewOptions = {}): SessionStore => {
  const { isPartial = false, keepsLog = true } = options;
  const session: SessionCell = {
    view: {
      sessionId,
      lastSeq: 0,
      gap: null,
      updatedAt: null,
      roots: [],
      runs: new Map(),
      openApprovals: new Map(),
      approvals: new Map(),
      spent: noSpending(),
    },
    cells: new Map(),
    changed: [],
  };
  const { view, cells } = session;
  if (options.snapshot !== undefined) restoreSession(session, options.snapshot);

  const apply = (event: RetinueEvent): ApplyOutcome => {
    if (event.sessionId !== sessionId) return "foreign";
    if (isLive(event)) {
      const cell = cells.get(event.runId);
      if (cell === undefined || !applyLive(cell, event)) return "late";
      markChanged(session, cell);
      return "applied";
    }
    const { seq } = event;
    if (seq <= view.lastSeq) return "known";
    const isEarly = seq !== view.lastSeq + 1;
    view.gap = isEarly ? { after: view.lastSeq, before: seq } : null;
    if (isEarly && !isPartial) return "gap";
    view.lastSeq = seq;
    view.updatedAt = event.at;
    const cell = cellOf(session, event);
    cell.lastSeq = seq;
    cell.view.updatedAt = event.at;
    if (keepsLog) listOf(cell.view.log).push(event);
    applyRecorded(session, cell, event);
    updateState(session, cell);
    return isEarly ? "gap" : "applied";
  };

  const loadPart = (part: RunPart): LoadOutcome => {
    const cell = cells.get(part.runId);
    if (cell === undefined || !cell.view.isBrief) return "known";
    if (part.seq > view.lastSeq) return "early";
    if (part.seq < cell.lastSeq) return "stale";
    loadRest(session, cell, part);
    markChanged(session, cell);
    return "loaded";
  };

  const loadStepsPage = ({ runId, steps }: StepsPage): LoadOutcome => {
    const cell = cells.get(runId);
    if (cell === undefined || cell.view.isBrief || !loadSteps(session, cell, steps)) return "known";
    markChanged(session, cell);
    return "loaded";
  };

  const takeChanged = (): readonly RunId[] => {
    const taken = session.changed;
    session.changed = [];
    return taken.map((cell) => {
      cell.isChanged = false;
      return cell.view.runId;
    });
  };

  return { view, apply, loadPart, loadSteps: loadStepsPage, takeChanged };
};
