/**
 * Parked runs: they are in the log alone. The engine that parked a main run keeps an entry of it and drives the run on as soon as the log brings what it
 * waits for, unless another process was faster; the answer may as well come when this process is long gone. All entries share one watch of the log.
 */
import type { RunId, RunResult, SessionId } from "@retinue/protocol";
import { isInput, isTurnInput } from "@retinue/protocol";
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
  /** The last input that the last drive of each run of the tree knew that is parked; just the number where the main run alone is. */
  readonly runs: ReadonlyMap<RunId, ParkedRun> | number;
};

/** What is kept of a parked tree, as little as there is to know. */
export const toParkedRoot = (sessionId: SessionId, runId: RunId, runs: ReadonlyMap<RunId, ParkedRun>): ParkedRoot => {
  const own = runs.size === 1 ? runs.get(runId) : undefined;
  return { sessionId, runId, runs: own ? own.inputSeq : runs };
};

export type Parking = {
  /** Watches the log for what the run waits for. */
  readonly park: (root: ParkedRoot) => void;
  /** The same for a run that cannot be driven on just now, since another process drives it or the store is away: it is looked at again a little later. */
  readonly waitBeside: (root: ParkedRoot) => void;
  readonly has: (root: Pick<ParkedRoot, "sessionId" | "runId">) => boolean;
  readonly close: () => void;
};

export type ParkingOptions = {
  readonly ground: Ground;
  /** Something came that the run waits for. */
  readonly onNews: (root: ParkedRoot) => Promise<void>;
  /** Another process drove the run to its end. */
  readonly onSettled: (root: ParkedRoot, result: RunResult) => void;
};

/** How often it is looked whether a process that drives a run is still there, or the store is there again. */
const LOOK_AGAIN_MS = 500;

export const createParking = ({ ground, onNews, onSettled }: ParkingOptions): Parking => {
  const { log } = ground;
  const entries = new Map<SessionId, ParkedRoot | readonly ParkedRoot[]>();
  /** Entries that are looked at now, and whether they were woken meanwhile. */
  const looks = new Map<RunId, { again: boolean }>();
  let unwatch: (() => void) | null = null;

  const rootsOf = (sessionId: SessionId): readonly ParkedRoot[] => {
    const entry = entries.get(sessionId);
    if (entry === undefined) return [];
    return "runId" in entry ? [entry] : entry;
  };

  /** Mostly one: a session has several only where a turn of it parked before the one before was done. */
  const keep = (sessionId: SessionId, roots: readonly ParkedRoot[]): void => {
    const [one] = roots;
    if (one) entries.set(sessionId, roots.length === 1 ? one : roots);
    else entries.delete(sessionId);
    if (entries.size > 0) unwatch ??= log.watchAny(entries, wake);
    else {
      unwatch?.();
      unwatch = null;
    }
  };

  const forget = ({ sessionId, runId }: ParkedRoot): void =>
    keep(
      sessionId,
      rootsOf(sessionId).filter((one) => one.runId !== runId),
    );

  const isParked = (root: ParkedRoot): boolean => rootsOf(root.sessionId).includes(root);

  /** One look at a time; what wakes meanwhile is looked at once more. */
  const look = async (root: ParkedRoot): Promise<void> => {
    const before = looks.get(root.runId);
    if (before) {
      before.again = true;
      return;
    }
    const now = { again: false };
    looks.set(root.runId, now);
    try {
      do {
        now.again = false;
        await lookOnce(root);
      } while (now.again && isParked(root));
    } finally {
      looks.delete(root.runId);
    }
  };

  const lookOnce = async (root: ParkedRoot): Promise<void> => {
    for (const event of await log.read(root.sessionId, firstSeq(root))) {
      if (!isParked(root)) return;
      if (event.type === "run.settled" && event.runId === root.runId) {
        forget(root);
        return onSettled(root, event.result);
      }
      if (!isInput(event) || isTurnInput(event) || event.seq <= knownSeq(root, event.runId)) continue;
      forget(root);
      return onNews(root);
    }
  };

  /** What cannot be read now is looked at again: nothing else may come that wakes the run. */
  const lookUntilSeen = (root: ParkedRoot): void => {
    look(root).catch(() => lookLater(root));
  };

  const lookLater = (root: ParkedRoot): void => {
    const again = (): void => {
      if (isParked(root)) lookUntilSeen(root);
    };
    // A parked run keeps no process alive.
    ground.ports.clock.after(LOOK_AGAIN_MS, again, { idle: true });
  };

  const wake = (sessionId: SessionId): void => {
    for (const root of rootsOf(sessionId)) lookUntilSeen(root);
  };

  const add = (root: ParkedRoot): void =>
    keep(root.sessionId, [...rootsOf(root.sessionId).filter(({ runId }) => runId !== root.runId), root]);

  return {
    park: (root) => {
      add(root);
      // What came between the last look of the drive and this watch.
      lookUntilSeen(root);
    },
    waitBeside: (root) => {
      add(root);
      lookLater(root);
    },
    has: ({ sessionId, runId }) => rootsOf(sessionId).some((root) => root.runId === runId),
    close: () => {
      unwatch?.();
      unwatch = null;
      entries.clear();
    },
  };
};

const firstSeq = ({ runs }: ParkedRoot): number => {
  if (typeof runs === "number") return runs;
  let first = Infinity;
  for (const { inputSeq } of runs.values()) first = Math.min(first, inputSeq);
  return first;
};

/** Infinity for a run that is not parked: what is said to it is not waited for here. */
const knownSeq = ({ runId: root, runs }: ParkedRoot, runId: RunId): number => {
  if (typeof runs !== "number") return runs.get(runId)?.inputSeq ?? Infinity;
  return runId === root ? runs : Infinity;
};
