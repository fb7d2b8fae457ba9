/**
 * A request as OpenAI Responses wants it. Nothing is stored with the provider: thoughts come encrypted and go back as they came, before what they led to.
 * The items of a message are made once.
 */
import type { AssistantMessage, AssistantPart, Json, JsonObject, Message, ToolMessage, UserPart } from "@retinue/protocol";
import type { ModelTraits } from "../catalogue/model-traits.ts";
import type { ModelRequest, ToolDeclaration } from "../contract.ts";
import { toEffort } from "../catalogue/to-effort.ts";
import { toAcceptedSchema } from "./accepted-schema.ts";

/** What OpenAI wants back unread: a thought as it came, or the phase that a text belongs to. Marked with who sent it, for others would refuse it. */
export type ResponsesOpaque =
  | { readonly responses: string; readonly item: JsonObject }
  | { readonly responses: string; readonly phase: string };

export type ResponsesRequestOptions = {
  readonly model: string;
  readonly provider: string;
  readonly traits?: ModelTraits | undefined;
};

const toInput = (part: UserPart): Json =>
  part.type === "text"
    ? { type: "input_text", text: part.text }
    : { type: "input_image", image_url: `data:${part.mediaType};base64,${part.data}` };

const fromTool = ({ callId, content }: ToolMessage): Json => {
  const isPlain = content.every(({ type }) => type === "text");
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  return { type: "function_call_output", call_id: callId, output: isPlain ? text : content.map(toInput) };
};

const opaqueOf = (part: AssistantPart, provider: string): ResponsesOpaque | undefined => {
  const { opaque } = part;
  if (typeof opaque !== "object" || opaque === null || !("responses" in opaque) || opaque["responses"] !== provider)
    return undefined;
  return opaque as ResponsesOpaque; // Only our reader writes it, with this type.
};

const fromAssistant = ({ content }: AssistantMessage, provider: string): Json[] => {
  const items: Json[] = [];
  // A thought without what it led to is refused, so it waits for that.
  let thoughts: Json[] = [];
  for (const part of content) {
    const opaque = opaqueOf(part, provider);
    if (part.type === "reasoning") {
      if (opaque && "item" in opaque) thoughts.push(opaque.item);
      continue;
    }
    if (part.type === "text" && part.text === "") continue;
    items.push(...thoughts);
    thoughts = [];
    if (part.type === "tool-call")
      items.push({ type: "function_call", call_id: part.callId, name: part.tool, arguments: part.arguments || "{}" });
    else
      items.push({
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text: part.text, annotations: [] }],
        ...(opaque && "phase" in opaque ? { phase: opaque.phase } : {}),
      });
  }
  return items;
};

const toItems = (message: Message, provider: string): Json[] => {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: message.content.map(toInput) }];
    case "tool":
      return [fromTool(message)];
    case "assistant":
      return fromAssistant(message, provider);
  }
};

const fromDeclaration = ({ name, description, inputSchema }: ToolDeclaration): string =>
  JSON.stringify({ type: "function", name, description, parameters: toAcceptedSchema(inputSchema), strict: false });

/** Models that never think refuse to be asked for encrypted thoughts. */
const thinks = (model: string, traits: ModelTraits | undefined): boolean =>
  traits?.outputTokens === undefined ? !/^(?:gpt-(?:3|4)|chatgpt)/.test(model) : traits.thinking !== undefined;

export const createResponsesBody = ({
  model,
  provider,
  traits,
}: ResponsesRequestOptions): ((request: ModelRequest) => string) => {
  const isThinker = thinks(model, traits);
  const head =
    `{"model":${JSON.stringify(model)},"stream":true,"store":false` +
    (isThinker ? ',"include":["reasoning.encrypted_content"]' : "");
  const messages = new WeakMap<Message, string>();
  const toolLists = new WeakMap<readonly ToolDeclaration[], string>();

  const toWire = (message: Message): string => {
    let wire = messages.get(message);
    if (wire === undefined) {
      wire = toItems(message, provider)
        .map((item) => JSON.stringify(item))
        .join(",");
      messages.set(message, wire);
    }
    return wire;
  };

  const toTools = (tools: readonly ToolDeclaration[]): string => {
    let wire = toolLists.get(tools);
    if (wire === undefined) toolLists.set(tools, (wire = tools.map(fromDeclaration).join(",")));
    return wire;
  };

  const toReasoning = ({ thinking }: ModelRequest): string => {
    if (thinking === undefined || !isThinker) return "";
    const effort = toEffort(thinking, traits?.thinking);
    // Summaries are for those who asked for thoughts: some accounts may not have them.
    const summary = thinking === "off" ? {} : { summary: "auto" };
    const reasoning = { ...(effort === undefined ? {} : { effort }), ...summary };
    return Object.keys(reasoning).length === 0 ? "" : `,"reasoning":${JSON.stringify(reasoning)}`;
  };

  return (request) => {
    let body = head;
    if (request.cacheKey !== undefined) body += `,"prompt_cache_key":${JSON.stringify(request.cacheKey)}`;
    if (request.system !== "") body += `,"instructions":${JSON.stringify(request.system)}`;
    if (request.tools.length > 0) {
      body += `,"tools":[${toTools(request.tools)}]`;
      if (request.toolChoice === "none") body += ',"tool_choice":"none"';
    }
    body += toReasoning(request);
    if (request.temperature !== undefined) body += `,"temperature":${request.temperature}`;
    if (request.maxOutputTokens !== undefined) body += `,"max_output_tokens":${Math.max(LEAST_OUTPUT, request.maxOutputTokens)}`;
    const input = request.messages.map(toWire).filter((items) => items !== "");
    return `${body},"input":[${input.join(",")}]}`;
  };
};

/** The API refuses less. */
const LEAST_OUTPUT = 16;
