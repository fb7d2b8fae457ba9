/** Recorded events in their own time: as far apart as they were, but never longer than one cares to wait. */
import type { RecordedEvent } from "@retinue/protocol";
import { setTimeout as sleep } from "node:timers/promises";

const LONGEST_GAP_MS = 2_000;

export type PaceOptions = {
  /** 0: all at once. 10: ten times as fast as it was. */
  readonly speed: number;
  readonly signal: AbortSignal;
};

/** Ends early when the signal is aborted. */
export async function* paced(events: Iterable<RecordedEvent>, { speed, signal }: PaceOptions): AsyncGenerator<RecordedEvent> {
  let before: number | undefined;
  for (const event of events) {
    if (signal.aborted) return;
    const at = Date.parse(event.at);
    const gap = speed === 0 || before === undefined ? 0 : toGap(at - before, speed);
    before = at;
    if (gap > 0) await sleep(gap, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    yield event;
  }
}

/** Clocks may have been set back in between. */
export const toGap = (recordedMs: number, speed: number): number =>
  Math.min(Math.max(0, Number.isNaN(recordedMs) ? 0 : recordedMs), LONGEST_GAP_MS) / speed;
