/**
 * Record-then-act. `note` makes an event part of the run's state at once; `flush` appends everything noted so far in one go and gives
 * the events to be shown. The loop flushes before every act, so that nothing happens in the world that the log does not know.
 */
import type { EventDraft, LiveBody, LiveEvent, RecordedBody, RecordedEvent } from "@retinue/protocol";
import { apply } from "./fold.ts";
import type { Ports } from "./ports.ts";
import type { RunState } from "./run-state.ts";

export type Recorder = {
  readonly note: (body: RecordedBody) => void;
  /** The log keeps the order in which it is asked, so that several may flush at once and what they noted still stands in order. */
  readonly flush: () => Promise<readonly RecordedEvent[]>;
  readonly live: (body: LiveBody) => LiveEvent;
};

const NOTHING: readonly RecordedEvent[] = [];

export const createRecorder = (state: RunState, { emit, clock }: Ports): Recorder => {
  const { identity } = state;
  let noted: EventDraft[] = [];
  let lastSeq = 0;
  const append = async (drafts: readonly EventDraft[]): Promise<readonly RecordedEvent[]> => {
    const events = await emit(drafts);
    lastSeq = events.at(-1)?.seq ?? lastSeq;
    return events;
  };
  return {
    note: (body) => {
      const draft: EventDraft = { ...identity, at: clock.date(), ...body };
      apply(state, draft);
      noted.push(draft);
    },
    flush: async () => {
      if (noted.length === 0) return NOTHING;
      const drafts = noted;
      noted = [];
      return append(drafts);
    },
    live: (body) => ({ ...identity, seq: lastSeq, at: clock.date(), ...body }),
  };
};
