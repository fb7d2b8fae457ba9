/**
 * Loads what the snapshot of a large session has left out, when somebody comes to look at it: runs that are only heads, and steps by their places. Each
 * piece is asked for once at a time.
 */
import type { RunPart, RunView, SessionStore, StepRange, StepsPage } from "@retinue/client";
import type { RunId } from "@retinue/protocol";

export type PieceSource = {
  /** As it is at this event or later. */
  readonly readRun: (runId: RunId, atLeast: number) => Promise<RunPart>;
  readonly readSteps: (runId: RunId, range: StepRange, atLeast: number) => Promise<StepsPage>;
};

export type SessionPieces = {
  readonly loadRun: (run: RunView) => void;
  /** Steps that are not here; what is here already of these is left as it is. */
  readonly loadSteps: (run: RunView, range: StepRange) => void;
  /** Everything of these runs. False once all of it is here. */
  readonly loadWhole: (runs: Iterable<RunView>) => boolean;
  /** Takes what has come too early, after the view has come further. */
  readonly retry: () => void;
};

export type SessionPiecesOptions = {
  /** Undefined where nothing was left out, or it cannot be asked for yet. */
  readonly source: () => PieceSource | undefined;
  readonly store: () => SessionStore;
  readonly onLoaded: () => void;
};

/** Requests that are under way at once. */
const MOST_AT_ONCE = 4;
const STEPS_AT_ONCE = 200;
/** What could not be read is not asked for again at once. */
const FAILED_MS = 2_000;

export const createSessionPieces = ({ source, store, onLoaded }: SessionPiecesOptions): SessionPieces => {
  const asked = new Set<string>();
  const early = new Map<RunId, RunPart>();
  const waiting: (() => Promise<void>)[] = [];
  let underWay = 0;

  const next = (): void => {
    // What was asked for last is what somebody looks at now.
    const read = underWay < MOST_AT_ONCE ? waiting.pop() : undefined;
    if (read === undefined) return;
    underWay += 1;
    void read().finally(() => {
      underWay -= 1;
      next();
    });
    next();
  };
  const ask = (key: string, read: () => Promise<void>): void => {
    if (asked.has(key)) return;
    asked.add(key);
    waiting.push(() =>
      read().then(
        () => void asked.delete(key),
        () => void setTimeout(() => asked.delete(key) && onLoaded(), FAILED_MS),
      ),
    );
    next();
  };

  const takeRun = async (part: RunPart): Promise<void> => {
    switch (store().loadPart(part)) {
      case "early":
        early.set(part.runId, part);
        return;
      case "stale":
        return source()?.readRun(part.runId, store().view.lastSeq).then(takeRun);
      case "loaded":
      case "known":
        onLoaded();
    }
  };

  const loadRun: SessionPieces["loadRun"] = ({ runId, isBrief }) => {
    const from = source();
    if (from === undefined || !isBrief || early.has(runId)) return;
    ask(runId, async () => takeRun(await from.readRun(runId, store().view.lastSeq)));
  };
  const loadSteps: SessionPieces["loadSteps"] = (run, range) => {
    const from = source();
    if (from === undefined) return;
    const { runId } = run;
    if (run.isBrief) return loadRun(run);
    ask(`${runId}/${range.from}-${range.to}`, async () => {
      store().loadSteps(await from.readSteps(runId, range, store().view.lastSeq));
      onLoaded();
    });
  };

  return {
    loadRun,
    loadSteps,
    loadWhole: (runs) => {
      let isMissing = false;
      for (const run of runs) {
        isMissing ||= run.isBrief || run.unloaded.length > 0;
        if (run.isBrief) loadRun(run);
        else
          for (const { from, to } of run.unloaded)
            for (let at = from; at < to; at += STEPS_AT_ONCE) loadSteps(run, { from: at, to: Math.min(to, at + STEPS_AT_ONCE) });
      }
      return isMissing;
    },
    retry: () => {
      for (const [runId, part] of early)
        if (part.seq <= store().view.lastSeq) {
          early.delete(runId);
          void takeRun(part).catch(() => undefined);
        }
    },
  };
};
