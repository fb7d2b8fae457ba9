/**
 * Parked runs: they are in the log alone. The engine that parked a main run keeps an entry of it and drives the run on as soon as the log brings what it
 * waits for, unless another process was faster; the answer may as well come when this process is long gone.
 */
import type { RunId, RunResult, SessionId } from "@retinue/protocol";
import { isInput } from "@retinue/protocol";
import type { ParkedRun, Tree } from "./active-run.ts";
import type { Ground } from "./ground.ts";

/** Whether something was said to a parked run, or to one that is parked below it, since they parked. */
export const hasNews = async ({ log }: Ground, { parked }: Tree, runId: RunId): Promise<boolean> => {
  for (const [id, { inputSeq, above }] of parked)
    if ((id === runId || above.includes(runId)) && (await log.inputs(id, inputSeq)).length > 0) return true;
  return false;
};

export type ParkedRoot = {
  readonly sessionId: SessionId;
  readonly runId: RunId;
  readonly runs: ReadonlyMap<RunId, ParkedRun>;
};

export type Parking = {
  /** Watches the log for what the run waits for. */
  readonly park: (root: ParkedRoot) => void;
  readonly has: (runId: RunId) => boolean;
  readonly roots: () => readonly ParkedRoot[];
  readonly close: () => void;
};

export type ParkingOptions = {
  readonly ground: Ground;
  /** Something came that the run waits for. */
  readonly onNews: (root: ParkedRoot) => Promise<void>;
  /** Another process drove the run to its end. */
  readonly onSettled: (root: ParkedRoot, result: RunResult) => void;
};

export const createParking = ({ ground, onNews, onSettled }: ParkingOptions): Parking => {
  const { log } = ground;
  const entries = new Map<RunId, { readonly root: ParkedRoot; unwatch: () => void; looking: boolean; again: boolean }>();

  const forget = (runId: RunId): void => {
    entries.get(runId)?.unwatch();
    entries.delete(runId);
  };

  /** One look at a time; what wakes meanwhile is looked at once more. */
  const look = async (root: ParkedRoot): Promise<void> => {
    const entry = entries.get(root.runId);
    if (!entry) return;
    entry.again = entry.looking;
    if (entry.looking) return;
    entry.looking = true;
    try {
      do {
        entry.again = false;
        await lookOnce(root);
      } while (entry.again && entries.has(root.runId));
    } finally {
      entry.looking = false;
    }
  };

  const lookOnce = async (root: ParkedRoot): Promise<void> => {
    let first = Infinity;
    for (const { inputSeq } of root.runs.values()) first = Math.min(first, inputSeq);
    for (const event of await log.read(root.sessionId, first)) {
      if (event.type === "run.settled" && event.runId === root.runId) {
        forget(root.runId);
        return onSettled(root, event.result);
      }
      const parked = isInput(event) ? root.runs.get(event.runId) : undefined;
      if (!parked || event.seq <= parked.inputSeq) continue;
      forget(root.runId);
      return onNews(root);
    }
  };

  return {
    park: (root) => {
      const wake = (): void => void look(root).catch(() => undefined);
      entries.set(root.runId, { root, unwatch: log.watch(root.sessionId, wake), looking: false, again: false });
      // What came between the last look of the drive and this watch.
      wake();
    },
    has: (runId) => entries.has(runId),
    roots: () => [...entries.values()].map(({ root }) => root),
    close: () => {
      for (const { unwatch } of entries.values()) unwatch();
      entries.clear();
    },
  };
};
