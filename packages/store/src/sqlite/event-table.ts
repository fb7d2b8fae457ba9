/** Reading `events`: in order, and every one checked against the chain before anybody sees it. */
import type { RecordedEvent, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { CHAIN_START, fromEventBody, toChainHash } from "../chain.ts";
import { toColumnText } from "../column-text.ts";
import { MAX_SEQ, toEventKey } from "../event-key.ts";
import type { Statements } from "./statements.ts";

/** What the row of `sessions` says of the chain's end. */
export type ChainHead = { readonly number: number; readonly headSeq: number; readonly headHash: string };

export const readHead = (statements: Statements, sessionId: SessionId): ChainHead | undefined => {
  const row = statements("SELECT number, head_seq, head_hash FROM sessions WHERE session_id = ?").get(toColumnText(sessionId));
  if (row === undefined) return undefined;
  return { number: Number(row["number"]), headSeq: Number(row["head_seq"]), headHash: String(row["head_hash"]) };
};

/** Where the chain breaks: the number of the first event that is not as it was written. */
export class BrokenChain extends Error {
  readonly seq: number;

  constructor(seq: number, what: string) {
    super(what);
    this.seq = seq;
  }
}

export type Link = { readonly event: RecordedEvent; readonly hash: string };

/** The events after a number, up to the head at least. Throws `BrokenChain` at the first that does not verify. */
export function* walkChain(statements: Statements, head: ChainHead, afterSeq: number): Generator<Link> {
  let expected = Math.max(afterSeq, 1);
  let previous = afterSeq === 0 ? CHAIN_START : undefined;
  const rows = statements("SELECT id, body, hash FROM events WHERE id BETWEEN ? AND ? ORDER BY id").iterate(
    toEventKey(head.number, expected),
    toEventKey(head.number, MAX_SEQ),
  );
  for (const row of rows) {
    if (row["id"] !== toEventKey(head.number, expected)) break;
    const body = String(row["body"]);
    const hash = String(row["hash"]);
    if (previous !== undefined && toChainHash(previous, body) !== hash)
      throw new BrokenChain(expected, "its text does not fit its hash");
    if (expected === head.headSeq && hash !== head.headHash)
      throw new BrokenChain(expected, "it is not the event that the session's record ends with");
    // The event that is read after is there for its hash alone.
    if (expected > afterSeq) {
      const event = fromEventBody(body);
      if (event === undefined || event.seq !== expected) throw new BrokenChain(expected, "its text is no event");
      yield { event, hash };
    }
    previous = hash;
    expected += 1;
  }
  if (expected <= head.headSeq) throw new BrokenChain(expected, "it is missing");
}

export const readEvents = (statements: Statements, sessionId: SessionId, afterSeq: number): readonly RecordedEvent[] => {
  const head = readHead(statements, sessionId);
  if (head === undefined || afterSeq >= head.headSeq) return [];
  try {
    const events: RecordedEvent[] = [];
    for (const { event } of walkChain(statements, head, afterSeq)) events.push(event);
    return events;
  } catch (error) {
    if (!(error instanceof BrokenChain)) throw error;
    throw new RetinueError("store_corrupt", `Event ${error.seq} of ${sessionId} is damaged: ${error.message}.`, { cause: error });
  }
};
