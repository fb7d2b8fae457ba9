/** Takes what the loop would write now: it must be what the loop wrote then. */
import type { EventDraft, RecordedEvent } from "@retinue/protocol";
import { differenceOf } from "./difference.ts";
import { giveNoticed } from "./recorded-inputs.ts";
import type { Replay } from "./replay.ts";
import { cancelNow, Divergence, EndOfRecord } from "./replay.ts";

export const emitAgain = (replay: Replay, drafts: readonly EventDraft[]): readonly RecordedEvent[] => {
  const { stretch } = replay;
  const events = drafts.map((draft) => {
    const before = stretch[replay.written];
    if (!before) throw new EndOfRecord("the record ends here");
    const difference = differenceOf(before, draft);
    if (difference !== null) throw new Divergence(before.seq, difference);
    replay.written += 1;
    if (before.type === "tool.settled") replay.settledCount += 1;
    return before;
  });
  giveNoticed(replay);
  if (replay.isCancelled && stretch[replay.written]?.type === "run.settled") cancelNow(replay);
  const woken = replay.wakeTools;
  replay.wakeTools = [];
  for (const wake of woken) wake();
  return events;
};
