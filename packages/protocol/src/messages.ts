/**
 * What is said between an agent and its model. Messages are values: once made they are never changed,
 * so that caches may hang on their identity.
 */
import type { CallId } from "./ids.ts";
import type { Json } from "./json.ts";

/** `opaque` as with reasoning: some providers sign their answers too. Only assistants' texts have it. */
export type TextPart = { readonly type: "text"; readonly text: string; readonly opaque?: Json };

/** `data` is base64. */
export type ImagePart = { readonly type: "image"; readonly mediaType: string; readonly data: string };

/** `opaque` is what the provider wants back unread (signatures, encrypted thoughts). */
export type ReasoningPart = { readonly type: "reasoning"; readonly text: string; readonly opaque?: Json };

/** What was mended in a call, in words, and the arguments as the model wrote them. */
export type CallRepair = { readonly how: readonly string[]; readonly wrote: string };

/** `arguments` is the text exactly as the model wrote it unless it was `repaired`; whether it is JSON is for the loop to judge. */
export type ToolCallPart = {
  readonly type: "tool-call";
  readonly callId: CallId;
  readonly tool: string;
  readonly arguments: string;
  readonly repaired?: CallRepair;
  readonly opaque?: Json;
};

export type UserPart = TextPart | ImagePart;
export type AssistantPart = TextPart | ReasoningPart | ToolCallPart;

export type UserMessage = { readonly role: "user"; readonly content: readonly UserPart[] };
export type AssistantMessage = { readonly role: "assistant"; readonly content: readonly AssistantPart[] };
export type ToolMessage = {
  readonly role: "tool";
  readonly callId: CallId;
  readonly tool: string;
  readonly content: readonly UserPart[];
  readonly isError: boolean;
};

export type Message = UserMessage | AssistantMessage | ToolMessage;
