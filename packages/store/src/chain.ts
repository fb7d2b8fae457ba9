/** The chain of hashes through a session: each event's hash covers its whole text and, through the hash before, all events before. */
import type { EventDraft, RecordedEvent } from "@retinue/protocol";
import { hash } from "node:crypto";

/** Stands before the first event of every session. */
export const CHAIN_START = "0".repeat(64);

/** The hash of an event, from the hash of the one before and the event's text. */
export const toChainHash = (previous: string, body: string): string => hash("sha256", previous + body);

/** The text of an event as it is stored and hashed: JSON, so that NUL and lone surrogates stand in it as escapes. */
export const toEventBody = (draft: EventDraft, seq: number): string => `{"seq":${seq},${JSON.stringify(draft).slice(1)}`;

/** Undefined where the text is no event of this number. */
export const fromEventBody = (body: string): RecordedEvent | undefined => {
  try {
    // The text was written by `toEventBody`, and its hash was checked by whoever asks.
    return JSON.parse(body) as RecordedEvent;
  } catch {
    return undefined;
  }
};
