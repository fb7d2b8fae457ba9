/**
 * Our request in the words of the AI SDK. What a provider wants back unread goes back to that provider and to no other;
 * images that a tool returned go into a user message where the provider would write them out as text.
 */
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { AssistantMessage, Json, JsonObject, ToolMessage, UserPart } from "@retinue/protocol";
import type { ModelRequest } from "../contract.ts";
import { toObjectText } from "../wire/parsed.ts";

type Role<Name extends LanguageModelV4Message["role"]> = Extract<LanguageModelV4Message, { role: Name }>;

/** What is kept in `opaque`: whose it is, and the provider's metadata, which becomes its options when sent back. */
export type AiSdkOpaque = { readonly aiSdk: string; readonly metadata: JsonObject };

export const toCallOptions = (
  model: Pick<LanguageModelV4, "provider">,
  request: ModelRequest,
  { toolResultImages = takesToolResultImages(model.provider) }: { readonly toolResultImages?: boolean } = {},
): LanguageModelV4CallOptions => ({
  prompt: toPrompt(model.provider, request, toolResultImages),
  ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
  ...(request.maxOutputTokens === undefined ? {} : { maxOutputTokens: request.maxOutputTokens }),
  ...(request.tools.length === 0
    ? {}
    : {
        tools: request.tools.map(({ name, description, inputSchema }) => ({
          type: "function",
          name,
          description,
          inputSchema: inputSchema as Record<string, unknown>, // JSON Schema as JSON; theirs is the same with its keywords typed.
        })),
        toolChoice: { type: request.toolChoice },
      }),
});

/** The providers known to put images of tool results where the model sees them. */
const takesToolResultImages = (provider: string): boolean =>
  /^(anthropic|google|vertex|amazon-bedrock)\b|\.responses$/.test(provider);

const toPrompt = (provider: string, request: ModelRequest, toolResultImages: boolean): LanguageModelV4Message[] => {
  const prompt: LanguageModelV4Message[] = [];
  if (request.system !== "") prompt.push({ role: "system", content: request.system });
  let results: { message: Role<"tool">; images: UserPart[] } | undefined;
  const closeResults = (): void => {
    if (results && results.images.length > 0) prompt.push({ role: "user", content: results.images.map(toUserPart) });
    results = undefined;
  };
  for (const message of request.messages) {
    if (message.role === "tool") {
      if (!results) {
        results = { message: { role: "tool", content: [] }, images: [] };
        prompt.push(results.message);
      }
      const images = toolResultImages ? [] : message.content.filter((part) => part.type === "image");
      if (images.length > 0)
        results.images.push({ type: "text", text: `What ${message.tool} (${message.callId}) returned:` }, ...images);
      results.message.content.push({
        type: "tool-result",
        toolCallId: message.callId,
        toolName: message.tool,
        output: toOutput(message, toolResultImages),
      });
      continue;
    }
    closeResults();
    if (message.role === "user") prompt.push({ role: "user", content: message.content.map(toUserPart) });
    else {
      const content = toAssistantContent(provider, message);
      if (content.length > 0) prompt.push({ role: "assistant", content });
    }
  }
  closeResults();
  return prompt;
};

const toUserPart = (part: UserPart): Role<"user">["content"][number] =>
  part.type === "text"
    ? { type: "text", text: part.text }
    : { type: "file", mediaType: part.mediaType, data: { type: "data", data: part.data } };

type Output = Extract<Role<"tool">["content"][number], { type: "tool-result" }>["output"];

const toOutput = (message: ToolMessage, withImages: boolean): Output => {
  const images = message.content.filter((part) => part.type === "image");
  const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  if (images.length === 0 || !withImages) {
    const value = text === "" && images.length > 0 ? "The image follows." : text;
    return { type: message.isError ? "error-text" : "text", value };
  }
  return {
    type: "content",
    value: message.content.map((part) =>
      part.type === "text"
        ? { type: "text", text: part.text }
        : { type: "file", mediaType: part.mediaType, data: { type: "data", data: part.data } },
    ),
  };
};

const toAssistantContent = (provider: string, message: AssistantMessage): Role<"assistant">["content"] =>
  message.content.flatMap((part): Role<"assistant">["content"] => {
    const metadata = metadataFor(provider, part.opaque);
    const replayed = metadata && Object.keys(metadata).length > 0 ? { providerOptions: metadata } : {};
    // Some refuse an empty text; one that carries what its provider wants back is not empty.
    if (part.type === "text") return part.text === "" && !metadata ? [] : [{ type: "text", text: part.text, ...replayed }];
    // Another provider's thoughts are refused by some and cost tokens with all.
    if (part.type === "reasoning") return metadata ? [{ type: "reasoning", text: part.text, ...replayed }] : [];
    const input: unknown = JSON.parse(toObjectText(part));
    return [{ type: "tool-call", toolCallId: part.callId, toolName: part.tool, input, ...replayed }];
  });

const metadataFor = (provider: string, opaque: Json | undefined): SharedV4ProviderOptions | undefined => {
  if (typeof opaque !== "object" || opaque === null || Array.isArray(opaque)) return undefined;
  const { aiSdk, metadata } = opaque as Partial<AiSdkOpaque>; // Checked by the next line; what others keep there has no `aiSdk`.
  return aiSdk === provider ? (metadata as SharedV4ProviderOptions | undefined) : undefined;
};
