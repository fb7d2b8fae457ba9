/** Ids of tool calls that are unique in a conversation: the provider's own where it is one, else one made here. */
import type { CallId, Message } from "@retinue/protocol";

const CALL_ID = /^[\w-]{1,64}$/;

/** Gives each call of one answer its id; `proposed` is what the provider sent, if anything. */
export const createCallIds = (history: readonly Message[]): ((proposed: string) => CallId) => {
  const used = new Set<CallId>();
  for (const message of history) {
    if (message.role !== "assistant") continue;
    for (const part of message.content) if (part.type === "tool-call") used.add(part.callId);
  }
  let next = used.size;
  return (proposed) => {
    let id = proposed;
    while (!CALL_ID.test(id) || used.has(id)) id = `call_${++next}`;
    used.add(id);
    return id;
  };
};
