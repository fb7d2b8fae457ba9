/**
 * All writes of a store pass here, in order. What is asked for in one turn of the event loop is committed together, so
 * that many runs at once share the cost of a transaction; each still succeeds or is refused for itself, and nothing is
 * answered before it is committed.
 */
import type { DatabaseSync } from "node:sqlite";
import { isBusy, toStoreError } from "./sqlite-errors.ts";

export type WriteQueue = {
  /** Runs `act` inside a transaction; again, after a rollback, if it was another that failed. */
  readonly write: <T>(act: () => T, more?: WriteHooks<T>) => Promise<T>;
  /** Runs `act` between two transactions, when everything asked for so far is committed or refused. */
  readonly apart: <T>(act: () => T) => Promise<T>;
  /** Resolves when everything asked for so far is committed or refused. */
  readonly drain: () => Promise<void>;
};

export type WriteHooks<T> = {
  /** Inside the transaction, before `act`; writes nothing. If it throws, this write alone is refused. */
  readonly check?: () => void;
  readonly committed?: (value: T) => void;
  /** What the caller is told in place of an error. */
  readonly failed?: (error: unknown) => unknown;
  /** `act` leaves to `settling` what is written once for all that was asked for. */
  readonly defers?: boolean;
  /** The commit that holds it is brought to the disk before it is answered. */
  readonly durable?: boolean;
  /** References between rows are not checked in the transaction that holds it. */
  readonly loose?: boolean;
  /** Writes in one line rest on those before: when one fails, those asked for since fail with it. */
  readonly line?: string;
};

type Entry = {
  readonly check: (() => void) | undefined;
  readonly act: () => unknown;
  readonly succeed: (value: unknown) => void;
  readonly fail: (error: unknown) => void;
  readonly defers: boolean;
  readonly durable: boolean;
  readonly loose: boolean;
  readonly line: string | undefined;
};

export type WriteQueueOptions = {
  readonly db: DatabaseSync;
  readonly path: string;
  /** How long another process may hold the lock. */
  readonly busyMs: number;
  /** Every commit is brought to the disk anyway. */
  readonly isDurable?: boolean;
  /** Before the first write of each transaction. */
  readonly began: () => void;
  /** Writes what was left to it, before the commit and before whoever does not defer. */
  readonly settling: () => void;
  readonly rolledBack: () => void;
};

export const createWriteQueue = (options: WriteQueueOptions): WriteQueue => {
  const { db, path, busyMs, isDurable = false, began, settling, rolledBack } = options;
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  let waiting: Entry[] = [];
  let scheduled = false;
  let isFull = false;
  let isLoose = false;
  let drained: (() => void)[] = [];

  const rollback = (): void => {
    rolledBack();
    if (db.isTransaction) db.exec("ROLLBACK");
  };

  /** How a commit reaches the disk, and what it checks, can only be changed between transactions. */
  const beginFor = (entries: readonly Entry[]): void => {
    const needsDisk = !isDurable && entries.some(({ durable }) => durable);
    if (needsDisk !== isFull) db.exec(`PRAGMA synchronous = ${needsDisk ? "FULL" : "NORMAL"}`);
    isFull = needsDisk;
    const needsLoose = entries.some(({ loose }) => loose);
    if (needsLoose !== isLoose) db.exec(`PRAGMA foreign_keys = ${needsLoose ? "OFF" : "ON"}`);
    isLoose = needsLoose;
    begin.run();
  };

  /** One transaction for all of them. Throws, rolled back, when it cannot be committed as a whole. */
  const commitTogether = (entries: readonly Entry[]): void => {
    const outcomes: (() => void)[] = [];
    try {
      began();
      for (const entry of entries) {
        if (!entry.defers) settling();
        const refusal = refuse(entry, path);
        if (refusal) outcomes.push(refusal);
        else {
          const value = entry.act();
          outcomes.push(() => entry.succeed(value));
        }
      }
      settling();
      commit.run();
    } catch (error) {
      rollback();
      throw error;
    }
    for (const settle of outcomes) settle();
  };

  /** After a failure of the whole: each for itself, so that only who is at fault hears of it. */
  const commitApart = (entries: readonly Entry[]): void => {
    const broken = new Map<string, unknown>();
    for (const entry of entries) {
      const { line } = entry;
      if (line !== undefined && broken.has(line)) {
        entry.fail(broken.get(line));
        continue;
      }
      try {
        beginFor([entry]);
        commitTogether([entry]);
      } catch (error) {
        const failure = toStoreError(error, path);
        if (line !== undefined) broken.set(line, failure);
        entry.fail(failure);
      }
    }
  };

  const flush = (deadline: number): void => {
    try {
      beginFor(waiting);
    } catch (error) {
      if (isBusy(error) && Date.now() < deadline) {
        setTimeout(() => flush(deadline), 1 + Math.random() * 20);
        return;
      }
      const entries = take();
      for (const entry of entries) entry.fail(toStoreError(error, path));
      settleDrained();
      return;
    }
    const entries = take();
    try {
      commitTogether(entries);
    } catch (error) {
      const [only] = entries;
      if (entries.length === 1 && only) only.fail(toStoreError(error, path));
      else commitApart(entries);
    }
    settleDrained();
  };

  const take = (): Entry[] => {
    const entries = waiting;
    waiting = [];
    scheduled = false;
    return entries;
  };

  const settleDrained = (): void => {
    if (scheduled) return;
    const done = drained;
    drained = [];
    for (const resolve of done) resolve();
  };

  const drain = async (): Promise<void> => {
    if (scheduled) await new Promise<void>((resolve) => drained.push(resolve));
  };

  return {
    write: (
      act,
      { check, committed, failed = (error: unknown) => error, defers = false, durable = false, loose = false, line } = {},
    ) =>
      new Promise((resolve, reject) => {
        waiting.push({
          check,
          act,
          succeed: (value) => {
            // The value is what this very `act` gave.
            const own = value as ReturnType<typeof act>;
            resolve(own);
            committed?.(own);
          },
          fail: (error) => reject(failed(error)),
          defers,
          durable,
          loose,
          line,
        });
        if (scheduled) return;
        scheduled = true;
        setImmediate(() => flush(Date.now() + busyMs));
      }),
    apart: async (act) => {
      await drain();
      return act();
    },
    drain,
  };
};

const refuse = ({ check, fail }: Entry, path: string): (() => void) | undefined => {
  try {
    check?.();
    return undefined;
  } catch (error) {
    return () => fail(toStoreError(error, path));
  }
};
