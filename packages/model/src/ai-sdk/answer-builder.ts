/**
 * Folds the parts of an AI SDK stream into chunks and one whole answer. Keeps true: call ids are unique in the
 * conversation, a call whose arguments were cut off is still in the answer, and the provider's metadata is kept unread.
 */
import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { AssistantPart, FinishReason, JsonObject, Usage } from "@retinue/protocol";
import type { ModelAnswer, ModelChunk, ModelRequest } from "../contract.ts";
import { createCallIds } from "../wire/call-ids.ts";
import { toCount } from "../wire/parsed.ts";
import type { AiSdkOpaque } from "./to-call-options.ts";

type ContentPart = Exclude<LanguageModelV4StreamPart, { type: "finish" | "error" }>;
type FinishPart = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

export type AnswerBuilder = {
  /** What a part is to whoever watches, undefined if nothing. */
  readonly add: (part: ContentPart) => ModelChunk | undefined;
  readonly finish: (part: FinishPart) => Omit<ModelAnswer, "type" | "costUsd">;
};

type Draft = {
  readonly type: AssistantPart["type"];
  readonly tool: string;
  readonly callId: string;
  text: string;
  /** Of a call: its arguments are whole. */
  isWhole: boolean;
  metadata: SharedV4ProviderMetadata | undefined;
};

export const createAnswerBuilder = (provider: string, request: ModelRequest): AnswerBuilder => {
  const drafts: Draft[] = [];
  const blocks = new Map<string, Draft>();
  const toCallId = createCallIds(request.messages);

  const open = (key: string, draft: Omit<Draft, "text" | "isWhole" | "metadata">): Draft => {
    const opened: Draft = { ...draft, text: "", isWhole: false, metadata: undefined };
    drafts.push(opened);
    blocks.set(key, opened);
    return opened;
  };
  const blockOf = (type: "text" | "reasoning", id: string): Draft =>
    blocks.get(`${type} ${id}`) ?? open(`${type} ${id}`, { type, tool: "", callId: "" });

  const add = (part: ContentPart): ModelChunk | undefined => {
    switch (part.type) {
      case "text-start":
      case "reasoning-start": {
        const type = part.type === "text-start" ? "text" : "reasoning";
        // Some providers use an id again for the next block.
        note(open(`${type} ${part.id}`, { type, tool: "", callId: "" }), part.providerMetadata);
        return undefined;
      }
      case "text-delta":
      case "reasoning-delta": {
        const type = part.type === "text-delta" ? "text" : "reasoning";
        const block = blockOf(type, part.id);
        note(block, part.providerMetadata);
        block.text += part.delta;
        return part.delta === "" ? undefined : { type, text: part.delta };
      }
      case "text-end":
      case "reasoning-end":
        note(blockOf(part.type === "text-end" ? "text" : "reasoning", part.id), part.providerMetadata);
        return undefined;
      case "tool-input-start":
        if (part.providerExecuted !== true)
          note(
            open(`call ${part.id}`, { type: "tool-call", tool: part.toolName, callId: toCallId(part.id) }),
            part.providerMetadata,
          );
        return undefined;
      case "tool-input-delta": {
        const call = blocks.get(`call ${part.id}`);
        if (!call) return undefined;
        note(call, part.providerMetadata);
        call.text += part.delta;
        return part.delta === "" ? undefined : { type: "tool-input", tool: call.tool, text: part.delta };
      }
      case "tool-call": {
        if (part.providerExecuted === true) return undefined;
        const started = blocks.get(`call ${part.toolCallId}`);
        const call =
          started ??
          open(`call ${part.toolCallId}`, {
            type: "tool-call",
            tool: part.toolName,
            callId: toCallId(part.toolCallId),
          });
        // The id is free again: a provider that numbers its calls alike sends another call under it.
        blocks.delete(`call ${part.toolCallId}`);
        const wasShown = call.text !== "";
        call.text = part.input;
        call.isWhole = true;
        note(call, part.providerMetadata);
        return wasShown || part.input === "" ? undefined : { type: "tool-input", tool: call.tool, text: part.input };
      }
      // Nothing of ours: what the provider did on its own side, and what no message of ours can hold.
      case "tool-input-end":
      case "tool-result":
      case "tool-approval-request":
      case "source":
      case "file":
      case "reasoning-file":
      case "custom":
      case "stream-start":
      case "response-metadata":
      case "ping":
      case "raw":
        return undefined;
      default:
        // A kind of part that a newer provider sends; what we know of the answer stays true without it.
        part satisfies never;
        return undefined;
    }
  };

  const finish = ({ finishReason, usage }: FinishPart): Omit<ModelAnswer, "type" | "costUsd"> => {
    const content = drafts.flatMap((draft) => toPart(provider, draft));
    const calls = content.some((part) => part.type === "tool-call");
    return { content, finishReason: toFinishReason(finishReason, calls), usage: toUsage(usage) };
  };

  return { add, finish };
};

const note = (draft: Draft, metadata: SharedV4ProviderMetadata | undefined): void => {
  if (!metadata) return;
  draft.metadata ??= {};
  for (const [provider, values] of Object.entries(metadata))
    draft.metadata[provider] = { ...draft.metadata[provider], ...values };
};

const toPart = (provider: string, { type, text, tool, callId, isWhole, metadata }: Draft): AssistantPart[] => {
  // What is undefined in their metadata is absent in JSON.
  const kept = metadata && (JSON.parse(JSON.stringify(metadata)) as JsonObject);
  const opaque: AiSdkOpaque = { aiSdk: provider, metadata: kept ?? {} };
  if (type === "tool-call")
    return [{ type, callId, tool, arguments: text === "" && isWhole ? "{}" : text, ...(kept ? { opaque } : {}) }];
  if (text === "" && !kept) return [];
  // Reasoning is always marked as the provider's own, since some want their thoughts back without signing them.
  return [{ type, text, ...(kept || type === "reasoning" ? { opaque } : {}) }];
};

const toFinishReason = ({ unified }: LanguageModelV4FinishReason, calls: boolean): FinishReason => {
  if (unified === "length") return "length";
  if (unified === "content-filter") return "filtered";
  if (unified === "stop" || unified === "tool-calls") return calls ? "tool-calls" : "stop";
  return "other";
};

const toUsage = ({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage => {
  const { noCache, cacheRead, cacheWrite } = inputTokens;
  return {
    input: toCount(inputTokens.total ?? toCount(noCache) + toCount(cacheRead) + toCount(cacheWrite)),
    output: toCount(outputTokens.total ?? toCount(outputTokens.text) + toCount(outputTokens.reasoning)),
    cached: toCount(cacheRead),
    reasoning: toCount(outputTokens.reasoning),
  };
};
