/** A log of which some sessions are read as what they may be now: the records of runs that go on are data, and bring no rights of their own. */
import type { RecordedEvent, RunId, SessionId } from "@retinue/protocol";
import type { GrantedNow } from "@retinue/runtime";
import { narrowRecorded } from "@retinue/runtime";
import type { EventLog } from "@retinue/store";

export type NarrowedLog = {
  readonly log: EventLog;
  /** From now on what is recorded of the session so far is read narrowed. Throws `session_imported`. */
  readonly narrow: (sessionId: SessionId, now: GrantedNow) => Promise<void>;
};

type Narrowed = { readonly now: GrantedNow; readonly upTo: number };

type Awaitable<T> = T | Promise<T>;

const map = <From, To>(value: Awaitable<From>, change: (value: From) => To): Awaitable<To> =>
  value instanceof Promise ? value.then(change) : change(value);

export const createNarrowedLog = (log: EventLog): NarrowedLog => {
  const narrowed = new Map<SessionId, Narrowed>();
  const runs = new Map<RunId, Narrowed>();

  const read: EventLog["read"] = (sessionId, afterSeq = 0, limit = Infinity) => {
    const known = narrowed.get(sessionId);
    if (!known || afterSeq >= known.upTo) return log.read(sessionId, afterSeq, ...(limit === Infinity ? [] : [limit]));
    return map(log.read(sessionId), (events) =>
      [
        ...narrowRecorded(
          events.filter(({ seq }) => seq <= known.upTo),
          known.now,
        ).filter(({ seq }) => seq > afterSeq),
        ...events.filter(({ seq }) => seq > known.upTo),
      ].slice(0, limit),
    );
  };

  /** What reads a record; everything else is the log's own. */
  const readers: Pick<EventLog, "read" | "readRuns" | "inputs" | "readSnapshot"> = {
    read,
    readRuns: (sessionId, runIds, afterSeq) => {
      if (!narrowed.has(sessionId)) return log.readRuns(sessionId, runIds, afterSeq);
      const wanted = new Set(runIds);
      return map(read(sessionId, afterSeq), (events: readonly RecordedEvent[]) =>
        events.filter(({ runId }) => wanted.has(runId)),
      );
    },
    inputs: (runId, afterSeq) => {
      const known = runs.get(runId);
      if (known?.now.isImported !== true) return log.inputs(runId, afterSeq);
      return map(log.inputs(runId, afterSeq), (inputs) =>
        inputs.filter((input) => input.seq > known.upTo || input.type !== "approval.answered" || !input.allowed),
      );
    },
    // It was made of the record as it was then.
    readSnapshot: (runId, format) => {
      const known = runs.get(runId);
      return map(log.readSnapshot(runId, format), (snapshot) =>
        known && snapshot && snapshot.seq <= known.upTo ? undefined : snapshot,
      );
    },
  };

  return {
    log: new Proxy(log, {
      get: (target, name) => {
        if (Object.hasOwn(readers, name)) return readers[name as keyof typeof readers];
        const own: unknown = Reflect.get(target, name);
        return typeof own === "function" ? (own.bind(target) as unknown) : own;
      },
    }),
    narrow: async (sessionId, now) => {
      const events = await log.read(sessionId);
      narrowRecorded(events, now);
      const known = { now, upTo: events.at(-1)?.seq ?? 0 };
      narrowed.set(sessionId, known);
      for (const { runId } of events) runs.set(runId, known);
    },
  };
};
