/** Ids of tool calls that are unique in a conversation: the provider's own where it is one, else one made here. */
import type { CallId, Message } from "@retinue/protocol";

/** OpenAI takes back no longer one, and a conversation may go on with another provider than it began with. */
const CALL_ID = /^[\w-]{1,40}$/;

const isIn = (history: readonly Message[], id: CallId): boolean => {
  for (const message of history)
    if (message.role === "assistant")
      for (const part of message.content) if (part.type === "tool-call" && part.callId === id) return true;
  return false;
};

/** Gives each call of one answer its id; `proposed` is what the provider sent, if anything. */
export const createCallIds = (history: readonly Message[]): ((proposed: string) => CallId) => {
  // Answers have few calls and histories are long, so the history is searched and not indexed.
  const given = new Set<CallId>();
  let next = history.length;
  return (proposed) => {
    let id = proposed;
    while (!CALL_ID.test(id) || given.has(id) || isIn(history, id)) id = `call_${++next}`;
    given.add(id);
    return id;
  };
};
