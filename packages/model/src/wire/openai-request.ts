/**
 * A request as OpenAI Chat Completions wants it. Messages and tools are values, so their text is made once and a body
 * is put together from it.
 */
import type { AssistantMessage, ImagePart, Json, Message, ToolMessage, UserMessage, UserPart } from "@retinue/protocol";
import type { ModelTraits } from "../catalogue/model-traits.ts";
import type { ModelRequest, ToolDeclaration } from "../contract.ts";
import { toAcceptedSchema } from "./accepted-schema.ts";
import { findMarked, toMarkedChat } from "./cache-marks.ts";
import { toChatThinking } from "./chat-thinking.ts";
import { toNineCharacters } from "./nine-characters.ts";
import { toObjectText } from "./parsed.ts";

export type OpenAiRequestOptions = {
  readonly model: string;
  readonly provider: string;
  /** OpenAI's own models refuse the old name, most compatible servers know no other. */
  readonly maxTokensField: "max_tokens" | "max_completion_tokens";
  readonly traits?: ModelTraits | undefined;
  /** Mistral's rules: ids of nine characters, and the model speaks between results and the user. */
  readonly isMistral?: boolean;
};

/** Mistral's models keep their rules wherever they are served: their own template checks them. */
export const isMistralModel = (model: string): boolean => /(?:mi[nx]?stral|mixtral|codestral|magistral|pixtral)/i.test(model);

/** What a compatible server wants back unread; marked with who sent it, for others would refuse it. */
export type OpenAiOpaque =
  | { readonly provider: string; readonly reasoningField: string }
  | { readonly provider: string; readonly reasoningDetails: readonly Json[] }
  | { readonly provider: string; readonly extraContent: Json };

type ToCallId = (id: string) => string;

const asItIs: ToCallId = (id) => id;

const textOf = (parts: readonly UserPart[]): string => {
  const [only] = parts;
  if (parts.length === 1 && only?.type === "text") return only.text;
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
};

const toImage = (part: ImagePart) => ({ type: "image_url", image_url: { url: `data:${part.mediaType};base64,${part.data}` } });

const fromUser = ({ content }: UserMessage): string => {
  const wire = content.every((part) => part.type === "text")
    ? textOf(content)
    : content.map((part) => (part.type === "text" ? { type: "text", text: part.text } : toImage(part)));
  return JSON.stringify({ role: "user", content: wire });
};

const fromTool = ({ callId, content }: ToolMessage, toId: ToCallId): string => {
  const text = textOf(content);
  const hasImages = content.some((part) => part.type === "image");
  return JSON.stringify({
    role: "tool",
    tool_call_id: toId(callId),
    content: text === "" && hasImages ? "(images follow)" : text,
  });
};

/** Images of a tool result as parts of a user message, since a tool message may hold text only; empty if there are none. */
const imagesOf = ({ callId, tool, content }: ToolMessage): string => {
  const images = content.filter((part) => part.type === "image");
  if (images.length === 0) return "";
  const parts = [{ type: "text", text: `Images in the result of ${tool} (${callId}):` }, ...images.map(toImage)];
  return parts.map((part) => JSON.stringify(part)).join(",");
};

const isOpaque = (value: Json | undefined): value is OpenAiOpaque =>
  typeof value === "object" && value !== null && !Array.isArray(value) && "provider" in value;

/** Empty for an answer that says and calls nothing, which some servers refuse. */
const fromAssistant = ({ content }: AssistantMessage, provider: string, toId: ToCallId): string => {
  let text = "";
  let reasoning = "";
  let reasoningField: string | undefined;
  let details: readonly Json[] | undefined;
  const calls: Json[] = [];
  for (const part of content) {
    const opaque = part.type !== "text" && isOpaque(part.opaque) && part.opaque.provider === provider ? part.opaque : undefined;
    switch (part.type) {
      case "text":
        text += part.text;
        break;
      case "reasoning":
        if (opaque && "reasoningField" in opaque) {
          reasoning += part.text;
          reasoningField = opaque.reasoningField;
        } else if (opaque && "reasoningDetails" in opaque) details = opaque.reasoningDetails;
        break;
      case "tool-call":
        calls.push({
          id: toId(part.callId),
          type: "function",
          function: { name: part.tool, arguments: toObjectText(part) },
          ...(opaque && "extraContent" in opaque ? { extra_content: opaque.extraContent } : {}),
        });
        break;
    }
  }
  if (text === "" && calls.length === 0) return "";
  return JSON.stringify({
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    ...(reasoningField === IN_CONTENT ? { content: withThought(reasoning, text) } : {}),
    ...(details === undefined ? {} : { reasoning_details: details }),
    // Servers that think between calls want the thought back with them, and only then.
    ...(reasoningField !== undefined && reasoningField !== IN_CONTENT && calls.length > 0 ? { [reasoningField]: reasoning } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  });
};

/** Mistral's thoughts are parts of the content, and go back as such. */
export const IN_CONTENT = "content";

const withThought = (reasoning: string, text: string): Json => [
  { type: "thinking", thinking: [{ type: "text", text: reasoning }] },
  ...(text === "" ? [] : [{ type: "text", text }]),
];

/** Some servers refuse an answer without the field for its thought, though there was none. */
const withEmptyThought = (wire: string, field: string): string =>
  wire === "" || wire.includes(`"${field}":`) ? wire : `${wire.slice(0, -1)},"${field}":""}`;

const fromDeclaration = ({ name, description, inputSchema }: ToolDeclaration): string =>
  JSON.stringify({ type: "function", function: { name, description, parameters: toAcceptedSchema(inputSchema) } });

/** What is the same in all requests of a run. */
type Opening = { readonly system: string; readonly message: string; readonly tools: string };

const userOf = (parts: string): string => `{"role":"user","content":[${parts}]}`;

/** What the model is said to have said, where it must speak before the user does. */
const NOTED = '{"role":"assistant","content":"Noted."}';
/** What the user is said to have said where the model spoke last: an answer that is to be continued is refused by many. */
const CONTINUE = '{"role":"user","content":"Continue."}';

export const createOpenAiBody = (options: OpenAiRequestOptions): ((request: ModelRequest) => string) => {
  const head = `{"model":${JSON.stringify(options.model)},"stream":true,"stream_options":{"include_usage":true}`;
  const isMistral = options.isMistral ?? isMistralModel(options.model);
  const toId = isMistral ? toNineCharacters : asItIs;
  const messages = new WeakMap<Message, string>();
  const images = new WeakMap<ToolMessage, string>();
  let hasImages = false;
  const declarations = new WeakMap<ToolDeclaration, string>();
  /** Of each run, whose list of tools stays the same: with it the system prompt, so that runs side by side do not make each other's anew. */
  const openings = new WeakMap<readonly ToolDeclaration[], Opening>();

  const marksCache = options.provider === "openrouter" && /claude/.test(options.model);
  let marked: readonly Message[] = [];

  const toWire = (message: Message): string => {
    const wire = toPlainWire(message);
    return marked.includes(message) ? toMarkedChat(wire) : wire;
  };

  const toPlainWire = (message: Message): string => {
    let wire = messages.get(message);
    if (wire === undefined) {
      switch (message.role) {
        case "user":
          wire = fromUser(message);
          break;
        case "assistant":
          wire = fromAssistant(message, options.provider, toId);
          break;
        case "tool":
          wire = fromTool(message, toId);
          if (message.content.some((part) => part.type === "image")) {
            images.set(message, imagesOf(message));
            hasImages = true;
          }
          break;
      }
      const { sendsBack } = options.traits ?? {};
      if (sendsBack !== undefined && message.role === "assistant") wire = withEmptyThought(wire, sendsBack);
      messages.set(message, wire);
    }
    return wire;
  };

  const toDeclared = (tool: ToolDeclaration): string => {
    let wire = declarations.get(tool);
    if (wire === undefined) declarations.set(tool, (wire = fromDeclaration(tool)));
    return wire;
  };

  const toOpening = ({ system, tools }: ModelRequest): Opening => {
    let opening = openings.get(tools);
    if (opening?.system !== system) {
      opening = {
        system,
        message: system === "" ? "" : toSystem(system),
        tools: tools.map(toDeclared).join(","),
      };
      openings.set(tools, opening);
    }
    return opening;
  };

  const toSystem = (system: string): string => {
    const wire = JSON.stringify({ role: "system", content: system });
    return marksCache ? toMarkedChat(wire) : wire;
  };

  return (request) => {
    if (marksCache) marked = findMarked(request.messages);
    let body = `${head},"messages":[`;
    const opening = toOpening(request);
    body += opening.message;
    let separator = opening.message === "" ? "" : ",";
    let role: Message["role"] | undefined;
    const add = (next: Message["role"], wire: string): void => {
      if (wire === "") return;
      if (isMistral && role === "tool" && next === "user") body += separator + NOTED;
      body += separator + wire;
      separator = ",";
      role = next;
    };
    // Images wait until the last result of a turn: nothing may stand between the results.
    let waiting = "";
    for (const message of request.messages) {
      if (waiting !== "" && message.role !== "tool") {
        add("user", userOf(waiting));
        waiting = "";
      }
      add(message.role, toWire(message));
      if (hasImages && message.role === "tool") {
        const image = images.get(message);
        if (image !== undefined) waiting += (waiting === "" ? "" : ",") + image;
      }
    }
    if (waiting !== "") add("user", userOf(waiting));
    if (role === "assistant") add("user", CONTINUE);
    body += "]";
    if (request.tools.length > 0) {
      body += `,"tools":[${opening.tools}]`;
      if (request.toolChoice === "none") body += ',"tool_choice":"none"';
    }
    if (request.thinking !== undefined)
      for (const [field, value] of Object.entries(toChatThinking(request.thinking, options.traits?.thinking)))
        body += `,${JSON.stringify(field)}:${JSON.stringify(value)}`;
    if (request.temperature !== undefined) body += `,"temperature":${request.temperature}`;
    if (request.maxOutputTokens !== undefined) body += `,"${options.maxTokensField}":${request.maxOutputTokens}`;
    return `${body}}`;
  };
};
