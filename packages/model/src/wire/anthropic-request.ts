/**
 * A request as Anthropic Messages wants it: roles alternate, results of one turn stand together, and the prefix that
 * the next request shares is marked for the provider's cache. The blocks of a message are made once.
 */
import type {
  AssistantMessage,
  AssistantPart,
  ImagePart,
  Json,
  Message,
  ToolMessage,
  UserMessage,
  UserPart,
} from "@retinue/protocol";
import type { ModelTraits } from "../catalogue/model-traits.ts";
import type { ModelRequest, ToolDeclaration } from "../contract.ts";
import { toAcceptedSchema } from "./accepted-schema.ts";
import { findMarked } from "./cache-marks.ts";
import { toMessagesThinking } from "./messages-thinking.ts";
import { toObjectText } from "./parsed.ts";

/** Thoughts of the provider, to be handed back as they were; `signature` for readable ones, `redacted` for others. */
export type AnthropicOpaque =
  | { readonly type: "anthropic"; readonly signature: string }
  | { readonly type: "anthropic"; readonly redacted: string };

const CACHED = ',"cache_control":{"type":"ephemeral"}}';

const CONTINUE = '{"role":"user","content":[{"type":"text","text":"Continue."}]}';

/** The provider wants a limit with every request; this one where the model's own is not known. */
const MAX_TOKENS = 8192;

const isBlank = (text: string): boolean => text.trim() === "";

const toImage = (part: ImagePart) => ({ type: "image", source: { type: "base64", media_type: part.mediaType, data: part.data } });

/** Blank texts are refused, and say nothing. */
const fromParts = (parts: readonly UserPart[]): Json[] =>
  parts
    .filter((part) => part.type === "image" || !isBlank(part.text))
    .map((part) => (part.type === "image" ? toImage(part) : { type: "text", text: part.text }));

const fromUser = ({ content }: UserMessage): Json[] => {
  const blocks = fromParts(content);
  return blocks.length > 0 ? blocks : [{ type: "text", text: "(empty)" }];
};

const fromTool = ({ callId, content, isError }: ToolMessage): Json[] => {
  const said = fromParts(content);
  // A failure without words is refused.
  const blocks = said.length === 0 && isError ? [{ type: "text", text: "(no output)" }] : said;
  return [
    {
      type: "tool_result",
      tool_use_id: callId,
      ...(blocks.length > 0 ? { content: blocks } : {}),
      ...(isError ? { is_error: true } : {}),
    },
  ];
};

const isOpaque = (value: Json | undefined): value is AnthropicOpaque =>
  typeof value === "object" && value !== null && "type" in value && value.type === "anthropic";

const fromAssistantPart = (part: AssistantPart): Json | undefined => {
  if (part.type === "text") return isBlank(part.text) ? undefined : { type: "text", text: part.text };
  if (part.type === "tool-call")
    return { type: "tool_use", id: part.callId, name: part.tool, input: JSON.parse(toObjectText(part)) as Json };
  // Unsigned thoughts, those of other providers, are refused.
  if (!isOpaque(part.opaque)) return undefined;
  return "redacted" in part.opaque
    ? { type: "redacted_thinking", data: part.opaque.redacted }
    : { type: "thinking", thinking: part.text, signature: part.opaque.signature };
};

const fromAssistant = ({ content }: AssistantMessage): Json[] =>
  content.map(fromAssistantPart).filter((block) => block !== undefined);

const toBlocks = (message: Message): Json[] => {
  if (message.role === "assistant") return fromAssistant(message);
  return message.role === "tool" ? fromTool(message) : fromUser(message);
};

const fromDeclaration = ({ name, description, inputSchema }: ToolDeclaration): string =>
  JSON.stringify({ name, description, input_schema: toAcceptedSchema(inputSchema) });

const withCacheMark = (blocks: string): string => blocks.slice(0, -1) + CACHED;

/** What other runs begin with, too, is a block of its own with a mark; what follows it is covered by the marks of the conversation. */
const toSystem = ({ system, sharedChars = system.length }: ModelRequest): string => {
  const [shared, own] = [system.slice(0, sharedChars), system.slice(sharedChars)].map((text) =>
    JSON.stringify({ type: "text", text }),
  );
  return isBlank(system.slice(sharedChars)) ? withCacheMark(shared ?? "") : `${withCacheMark(shared ?? "")},${own}`;
};

export const createAnthropicBody = (options: {
  readonly model: string;
  readonly traits?: ModelTraits | undefined;
}): ((request: ModelRequest) => string) => {
  const head = `{"model":${JSON.stringify(options.model)},"stream":true`;
  const messages = new WeakMap<Message, string>();
  const declarations = new WeakMap<ToolDeclaration, string>();
  const toolLists = new WeakMap<readonly ToolDeclaration[], string>();
  let system = { text: "", wire: "" };

  const toWire = (message: Message): string => {
    let wire = messages.get(message);
    if (wire === undefined) {
      wire = toBlocks(message)
        .map((block) => JSON.stringify(block))
        .join(",");
      messages.set(message, wire);
    }
    return wire;
  };

  const toTools = (tools: readonly ToolDeclaration[]): string => {
    let wire = toolLists.get(tools);
    if (wire === undefined) {
      wire = tools
        .map((tool) => {
          let one = declarations.get(tool);
          if (one === undefined) declarations.set(tool, (one = fromDeclaration(tool)));
          return one;
        })
        .join(",");
      wire = withCacheMark(wire);
      toolLists.set(tools, wire);
    }
    return wire;
  };

  return (request) => {
    let body = `${head},"max_tokens":${request.maxOutputTokens ?? options.traits?.outputTokens ?? MAX_TOKENS}`;
    const thinking = toMessagesThinking(request, options.traits);
    for (const [field, value] of Object.entries(thinking)) body += `,"${field}":${JSON.stringify(value)}`;
    // With thoughts, only the usual temperature is taken.
    if (request.temperature !== undefined && Object.keys(thinking).length === 0) body += `,"temperature":${request.temperature}`;
    if (!isBlank(request.system)) {
      if (system.text !== request.system) system = { text: request.system, wire: toSystem(request) };
      body += `,"system":[${system.wire}]`;
    }
    if (request.tools.length > 0) {
      body += `,"tools":[${toTools(request.tools)}]`;
      if (request.toolChoice === "none") body += ',"tool_choice":{"type":"none"}';
    }
    body += ',"messages":[';
    let role: "user" | "assistant" | undefined;
    const marked = findMarked(request.messages);
    for (const message of request.messages) {
      let blocks = toWire(message);
      if (blocks === "") continue;
      if (marked.includes(message)) blocks = withCacheMark(blocks);
      const next = message.role === "assistant" ? "assistant" : "user";
      if (next === role) body += `,${blocks}`;
      else body += `${role === undefined ? "" : "]},"}{"role":"${next}","content":[${blocks}`;
      role = next;
    }
    // The newer models refuse an answer that is to be continued.
    if (role === "assistant") return `${body}]},${CONTINUE}]}`;
    return `${body}${role === undefined ? "" : "]}"}]}`;
  };
};
