/** An export with other events, chained as if they had been recorded so: what anybody can make of it. */
import type { RecordedEvent } from "@retinue/protocol";
import { CHAIN_START, toChainHash, toEventBody } from "../chain.ts";
import type { SessionExport } from "../read-side.ts";

export const rechain = (exported: SessionExport, events: readonly RecordedEvent[]): SessionExport => {
  let hash = CHAIN_START;
  const numbered = events.map((event, at): RecordedEvent => {
    const { seq: _seq, ...draft } = event;
    hash = toChainHash(hash, toEventBody(draft, at + 1));
    return { ...draft, seq: at + 1 };
  });
  return { ...exported, session: { ...exported.session, headSeq: numbered.length, headHash: hash }, events: numbered };
};
