/** Going through the events of a session in order, each checked against the chain before anybody sees it. */
import type { RecordedEvent, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { CHAIN_START, fromEventBody, toChainHash } from "./chain.ts";

/** What the row of `sessions` says of the chain's end. */
export type ChainHead = { readonly number: number; readonly headSeq: number; readonly headHash: string };

/** An event as it is stored. */
export type StoredEvent = { readonly seq: number; readonly body: string; readonly hash: string };

export type Link = { readonly event: RecordedEvent; readonly hash: string };

/** Where the chain breaks: the number of the first event that is not as it was written. */
export class BrokenChain extends Error {
  readonly seq: number;

  constructor(seq: number, what: string) {
    super(what);
    this.seq = seq;
  }
}

/** The number of the first event to be fetched in order to walk on after one: that one itself, for its hash. */
export const toWalkFrom = (afterSeq: number): number => Math.max(afterSeq, 1);

/**
 * The events after a number, up to the head at least or to the number `upTo`, from rows in order that begin at `toWalkFrom`. Throws
 * `BrokenChain` at the first that does not verify.
 */
export function* walkChain(rows: Iterable<StoredEvent>, head: ChainHead, afterSeq: number, upTo = Infinity): Generator<Link> {
  let expected = toWalkFrom(afterSeq);
  let previous = afterSeq === 0 ? CHAIN_START : undefined;
  for (const { seq, body, hash } of rows) {
    if (seq !== expected || seq > upTo) break;
    if (previous !== undefined && toChainHash(previous, body) !== hash)
      throw new BrokenChain(expected, "its text does not fit its hash");
    if (expected === head.headSeq && hash !== head.headHash)
      throw new BrokenChain(expected, "it is not the event that the session's record ends with");
    if (expected > afterSeq) {
      const event = fromEventBody(body);
      if (event === undefined || event.seq !== expected) throw new BrokenChain(expected, "its text is no event");
      yield { event, hash };
    }
    previous = hash;
    expected += 1;
  }
  if (expected <= Math.min(head.headSeq, upTo)) throw new BrokenChain(expected, "it is missing");
}

export const toCorruptError = (error: BrokenChain, sessionId: SessionId): RetinueError =>
  new RetinueError("store_corrupt", `Event ${error.seq} of ${sessionId} is damaged: ${error.message}.`, { cause: error });

/** The events after a number. Throws `store_corrupt` where one does not verify. */
export const collectEvents = (
  rows: Iterable<StoredEvent>,
  head: ChainHead,
  {
    sessionId,
    afterSeq,
    limit = Infinity,
  }: { readonly sessionId: SessionId; readonly afterSeq: number; readonly limit?: number },
): readonly RecordedEvent[] => {
  const events: RecordedEvent[] = [];
  try {
    for (const { event } of walkChain(rows, head, afterSeq, afterSeq + limit)) events.push(event);
  } catch (error) {
    throw error instanceof BrokenChain ? toCorruptError(error, sessionId) : error;
  }
  return events;
};

/** An event that is read without those around it, with the hash of the one before. */
export type LooseEvent = StoredEvent & { readonly previous: string | undefined };

/** Throws `store_corrupt` where an event is not the one that stands at this place of the chain. */
export const collectLoose = (rows: Iterable<LooseEvent>, sessionId: SessionId): RecordedEvent[] => {
  const events: RecordedEvent[] = [];
  for (const { seq, body, hash, previous } of rows) {
    const event = fromEventBody(body);
    const isWhole = toChainHash(seq === 1 ? CHAIN_START : (previous ?? ""), body) === hash && event?.seq === seq;
    if (!isWhole) throw toCorruptError(new BrokenChain(seq, "its text does not fit its hash"), sessionId);
    events.push(event);
  }
  return events;
};
