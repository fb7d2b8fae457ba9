/**
 * One listener to a session's events. It never holds up who speaks: when it falls behind, what it had waiting is dropped and read again
 * from the log, so that recorded events come without loss or repeat and only live ones are missed.
 */
import type { RecordedEvent, RetinueEvent } from "@retinue/protocol";
import { isLive } from "@retinue/protocol";

export type Follower = {
  readonly push: (event: RetinueEvent) => void;
  /** The log has more than what was pushed: what is missing is read from there. */
  readonly catchUp: () => void;
  /** What was appended since is read from the log. */
  readonly readAgain: () => void;
  /** Nothing more will be pushed. */
  readonly end: () => void;
  readonly events: () => AsyncGenerator<RetinueEvent, void>;
};

const MOST_WAITING = 4_096;
/** Runs of one session write side by side, and what one says can arrive a little before what was written earlier. */
const MOST_EARLY = 1_024;

export type ReadAfter = (seq: number) => Promise<readonly RecordedEvent[]> | readonly RecordedEvent[];

/** `afterSeq` is the last recorded event that the listener knows already. */
export const createFollower = (afterSeq: number, readAfter: ReadAfter): Follower => {
  let waiting: RetinueEvent[] = [];
  /** The last recorded event that was put in line. */
  let lastSeq = afterSeq;
  /** Recorded events whose turn has not come. */
  const early = new Map<number, RecordedEvent>();
  let behind = false;
  let ended = false;
  let wake: (() => void) | null = null;
  const poke = (): void => {
    wake?.();
    wake = null;
  };
  const fallBehind = (): void => {
    waiting = [];
    early.clear();
    behind = true;
  };
  const putInLine = (event: RecordedEvent): void => {
    for (let next: RecordedEvent | undefined = event; next; next = early.get(lastSeq + 1)) {
      early.delete(next.seq);
      lastSeq = next.seq;
      waiting.push(next);
    }
  };
  /** The log was read up to here; what was pushed meanwhile follows. */
  const joinUp = (readSeq: number): void => {
    lastSeq = Math.max(lastSeq, readSeq);
    for (const seq of early.keys()) if (seq <= lastSeq) early.delete(seq);
    const next = early.get(lastSeq + 1);
    if (next) putInLine(next);
  };
  return {
    push: (event) => {
      if (behind) return poke();
      if (waiting.length >= MOST_WAITING || early.size >= MOST_EARLY) fallBehind();
      else if (isLive(event)) waiting.push(event);
      else if (event.seq === lastSeq + 1) putInLine(event);
      else if (event.seq > lastSeq) early.set(event.seq, event);
      poke();
    },
    catchUp: () => {
      if (early.size > 0) fallBehind();
      poke();
    },
    readAgain: () => {
      fallBehind();
      poke();
    },
    end: () => {
      if (early.size > 0) fallBehind();
      ended = true;
      poke();
    },
    events: async function* () {
      let shownSeq = afterSeq;
      for (;;) {
        if (behind) {
          // Before the log is read: what is told of while it is read may not be in what was read.
          behind = false;
          const missed = await readAfter(shownSeq);
          joinUp(missed.at(-1)?.seq ?? shownSeq);
          for (const event of missed) {
            shownSeq = event.seq;
            yield event;
          }
        }
        const batch = waiting;
        waiting = [];
        for (const event of batch) {
          if (!isLive(event)) {
            if (event.seq <= shownSeq) continue;
            shownSeq = event.seq;
          }
          yield event;
        }
        if (behind || waiting.length > 0) continue;
        if (ended) return;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
};
