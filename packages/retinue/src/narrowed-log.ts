/** A log of which some sessions are read as what they may be now: the records of runs that go on are data, and bring no rights of their own. */
import type { RecordedEvent, SessionId } from "@retinue/protocol";
import type { GrantedNow } from "@retinue/runtime";
import { narrowRecorded } from "@retinue/runtime";
import type { EventLog } from "@retinue/store";

export type NarrowedLog = {
  readonly log: EventLog;
  /** From now on what is recorded of the session so far is read narrowed. Throws `session_imported`. */
  readonly narrow: (sessionId: SessionId, now: GrantedNow) => Promise<void>;
};

export const createNarrowedLog = (log: EventLog): NarrowedLog => {
  const narrowed = new Map<SessionId, { readonly now: GrantedNow; readonly upTo: number }>();
  const read: EventLog["read"] = (sessionId, afterSeq = 0) => {
    const known = narrowed.get(sessionId);
    if (!known || afterSeq >= known.upTo) return log.read(sessionId, afterSeq);
    const toNarrowed = (events: readonly RecordedEvent[]): readonly RecordedEvent[] => [
      ...narrowRecorded(
        events.filter(({ seq }) => seq <= known.upTo),
        known.now,
      ).filter(({ seq }) => seq > afterSeq),
      ...events.filter(({ seq }) => seq > known.upTo),
    ];
    const all = log.read(sessionId);
    return all instanceof Promise ? all.then(toNarrowed) : toNarrowed(all);
  };
  return {
    log: {
      append: (drafts, lease) => log.append(drafts, lease),
      lease: (runId, options) => log.lease(runId, options),
      holder: (runId) => log.holder(runId),
      revoke: (sessionId) => log.revoke(sessionId),
      read,
      sessionOf: (runId) => log.sessionOf(runId),
      watch: (sessionId, wake) => log.watch(sessionId, wake),
      writeArtifact: (sessionId, text) => log.writeArtifact(sessionId, text),
      readArtifact: (sessionId, artifactId) => log.readArtifact(sessionId, artifactId),
      close: () => log.close(),
    },
    narrow: async (sessionId, now) => {
      const events = await log.read(sessionId);
      narrowRecorded(events, now);
      narrowed.set(sessionId, { now, upTo: events.at(-1)?.seq ?? 0 });
    },
  };
};
