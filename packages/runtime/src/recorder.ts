/**
 * Record-then-act. `note` makes an event part of the run's state at once; `flush` appends everything noted so far in one go and gives
 * the events to be shown. The loop flushes before every act, so that nothing happens in the world that the log does not know.
 */
import type { EventDraft, LiveBody, LiveEvent, RecordedBody, RecordedEvent } from "@retinue/protocol";
import { apply } from "./fold.ts";
import type { Ports } from "./ports.ts";
import { redactDeep } from "./redactor.ts";
import type { RunState } from "./run-state.ts";

export type Recorder = {
  readonly note: (body: RecordedBody) => void;
  /** The log keeps the order in which it is asked, so that several may flush at once and what they noted still stands in order. */
  readonly flush: () => Promise<readonly RecordedEvent[]>;
  /** Streamed texts must have been cleaned by whoever knows what came before them. */
  readonly live: (body: LiveBody) => LiveEvent;
  /** The value without the secrets that are known; the value itself where none are. */
  readonly clean: <T>(value: T) => T;
};

const NOTHING: readonly RecordedEvent[] = [];

export const createRecorder = (state: RunState, { emit, clock, redactor }: Ports): Recorder => {
  const { identity } = state;
  const clean = redactor ? <T>(value: T): T => redactDeep(value, redactor.text) : <T>(value: T): T => value;
  let noted: EventDraft[] = [];
  let lastSeq = 0;
  const append = async (drafts: readonly EventDraft[]): Promise<readonly RecordedEvent[]> => {
    const events = await emit(drafts);
    lastSeq = events.at(-1)?.seq ?? lastSeq;
    return events;
  };
  return {
    note: (body) => {
      const draft: EventDraft = { ...identity, at: clock.date(), ...clean(body) };
      apply(state, draft);
      noted.push(draft);
    },
    flush: async () => {
      if (noted.length === 0) return NOTHING;
      const drafts = noted;
      noted = [];
      return append(drafts);
    },
    live: (body) => ({
      ...identity,
      seq: lastSeq,
      at: clock.date(),
      ...(body.type === "model.retrying" ? clean(body) : body),
    }),
    clean,
  };
};
