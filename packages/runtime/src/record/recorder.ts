/**
 * Record-then-act. `note` makes an event part of the run's state at once; `flush` appends everything noted so far in one go and shows
 * it. The loop flushes before every act, so that nothing happens in the world that the log does not know.
 */
import type { EventDraft, LiveBody, RecordedBody, RecordedEvent, RetinueEvent } from "@retinue/protocol";
import { apply } from "./fold.ts";
import type { RecordPorts } from "../loop/ports.ts";
import { createCleaner } from "./redactor.ts";
import type { RunState } from "./run-state.ts";

export type Recorder = {
  readonly note: (body: RecordedBody) => void;
  /**
   * The log keeps the order in which it is asked, so that several may flush at once and what they noted still stands in order.
   * Undefined where there is nothing to wait for.
   */
  readonly flush: () => Promise<void> | undefined;
  /** Begins to append what was noted; whoever flushes next waits for it, too. */
  readonly flushMeanwhile: () => void;
  /** Shows what is not recorded. Streamed texts must have been cleaned by whoever knows what came before them. */
  readonly show: (body: LiveBody) => void;
  /** The value without the secrets that are known; the value itself where none are. */
  readonly clean: <T>(value: T) => T;
};

export const createRecorder = (
  state: RunState,
  { emit, clock, redactor }: RecordPorts,
  send: (event: RetinueEvent) => void,
): Recorder => {
  const { identity } = state;
  const clean = createCleaner(redactor);
  let noted: EventDraft[] = [];
  let lastSeq = 0;
  const sendAll = (events: readonly RecordedEvent[]): void => {
    for (const event of events) {
      lastSeq = event.seq;
      send(event);
    }
  };
  const append = (): Promise<void> | undefined => {
    if (noted.length === 0) return undefined;
    const drafts = noted;
    noted = [];
    const events = emit(drafts);
    if (events instanceof Promise) return events.then(sendAll);
    sendAll(events);
    return undefined;
  };
  /** Under way, and not yet waited for. */
  let meanwhile: Promise<void> | undefined;
  const flush = (): Promise<void> | undefined => {
    const own = append();
    const earlier = meanwhile;
    meanwhile = undefined;
    return earlier && own ? Promise.all([earlier, own]).then(() => undefined) : (earlier ?? own);
  };
  return {
    note: (body) => {
      const draft: EventDraft = { ...identity, at: clock.date(), ...clean(body) };
      apply(state, draft);
      noted.push(draft);
    },
    flush,
    flushMeanwhile: () => {
      meanwhile = flush();
      // Its failure is thrown to whoever flushes next.
      meanwhile?.catch(() => undefined);
    },
    show: (body) =>
      send({ ...identity, seq: lastSeq, at: clock.date(), ...(body.type === "model.retrying" ? clean(body) : body) }),
    clean,
  };
};
