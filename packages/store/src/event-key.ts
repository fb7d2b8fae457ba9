/**
 * The integer that names an event of any session, and with it the message that the event opens: the session's number,
 * then eight digits for the event's own. So a message leads to its event, and a session is one range of keys.
 */
const SPAN = 100_000_000;

/** A session holds fewer events than this. */
export const MAX_SEQ = SPAN - 1;

export const toEventKey = (sessionNumber: number, seq: number): number => sessionNumber * SPAN + seq;

export const fromEventKey = (key: number): { readonly sessionNumber: number; readonly seq: number } => ({
  sessionNumber: Math.floor(key / SPAN),
  seq: key % SPAN,
});
