/**
 * One listener to a session's events. It never holds up who speaks: when it falls behind, what it had waiting is dropped and read again
 * from the log, so that recorded events come without loss or repeat and only live ones are missed.
 */
import type { RecordedEvent, RetinueEvent } from "@retinue/protocol";
import { isLive } from "@retinue/protocol";

export type Follower = {
  readonly push: (event: RetinueEvent) => void;
  /** Nothing more will be pushed. */
  readonly end: () => void;
  readonly events: () => AsyncGenerator<RetinueEvent, void>;
};

const MOST_WAITING = 4_096;

export type ReadAfter = (seq: number) => Promise<readonly RecordedEvent[]> | readonly RecordedEvent[];

/** `afterSeq` is the last recorded event that the listener knows already. */
export const createFollower = (afterSeq: number, readAfter: ReadAfter): Follower => {
  let waiting: RetinueEvent[] = [];
  let behind = false;
  let ended = false;
  let wake: (() => void) | null = null;
  const poke = (): void => {
    wake?.();
    wake = null;
  };
  return {
    push: (event) => {
      if (waiting.length >= MOST_WAITING) {
        waiting = [];
        behind = true;
      }
      if (!behind) waiting.push(event);
      poke();
    },
    end: () => {
      ended = true;
      poke();
    },
    events: async function* () {
      let lastSeq = afterSeq;
      for (;;) {
        if (behind) {
          behind = false;
          for (const event of await readAfter(lastSeq)) {
            lastSeq = event.seq;
            yield event;
          }
        }
        const batch = waiting;
        waiting = [];
        for (const event of batch) {
          if (isLive(event)) {
            yield event;
            continue;
          }
          if (event.seq <= lastSeq) continue;
          lastSeq = event.seq;
          yield event;
        }
        if (behind || waiting.length > 0) continue;
        if (ended) return;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
};
