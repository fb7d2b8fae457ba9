/**
 * Which messages end a part of the conversation that is worth caching: the last one, for the next request, and the one that was last in the request before,
 * for this one. However many calls lie between them, what was cached is found: a provider looks back only some twenty blocks from a mark.
 */
import type { Message } from "@retinue/protocol";

export const findMarked = (messages: readonly Message[]): readonly Message[] => {
  const last = messages.at(-1);
  const answered = messages.findLastIndex(({ role }) => role === "assistant");
  const before = messages[answered - 1];
  // A mark on an unfinished answer would be on thoughts, where it is refused.
  return [last, before].filter((message) => message !== undefined && message.role !== "assistant");
};

/** A message of Chat Completions whose text is marked, as routers take it for models of Anthropic. */
export const toMarkedChat = (wire: string): string => {
  const message = JSON.parse(wire) as { content?: unknown };
  const parts: unknown[] = Array.isArray(message.content) ? message.content : [{ type: "text", text: message.content }];
  const last = parts.at(-1);
  const isBlank = typeof message.content === "string" && message.content.trim() === "";
  if (typeof last !== "object" || last === null || isBlank) return wire;
  return JSON.stringify({ ...message, content: [...parts.slice(0, -1), { ...last, cache_control: { type: "ephemeral" } }] });
};
