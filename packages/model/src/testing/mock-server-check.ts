/** What the real providers refuse with 400, checked as they do, so that a wrong request fails in tests too. */
import type { Json, JsonObject } from "@retinue/protocol";

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const stringOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

const listOf = (value: Json | undefined): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Undefined if the provider would take the request, else its complaint. */
export const checkOpenAiRequest = (body: Json): string | undefined => {
  if (!isObject(body)) return "We could not parse the JSON body of your request.";
  if (typeof body["model"] !== "string") return "you must provide a model parameter";
  if (body["stream"] !== true) return "this mock only streams";
  const messages = listOf(body["messages"]);
  if (messages.length === 0) return "messages must not be empty";
  if (body["tools"] === undefined && body["tool_choice"] !== undefined)
    return "'tool_choice' is only allowed when 'tools' are specified";
  let open = new Set<string>();
  for (const [at, message] of messages.entries()) {
    const role = message["role"];
    if (role === "tool") {
      if (typeof message["content"] !== "string" && !Array.isArray(message["content"]))
        return `messages.${at}: content is missing`;
      if (!open.delete(stringOf(message["tool_call_id"])))
        return `messages.${at}: role 'tool' must be a response to a preceding message with 'tool_calls'`;
      continue;
    }
    if (open.size > 0)
      return `messages.${at}: an assistant message with 'tool_calls' must be followed by tool messages; missing ${[...open].join(", ")}`;
    if (role === "assistant") {
      const calls = listOf(message["tool_calls"]);
      if (Array.isArray(message["tool_calls"]) && calls.length === 0) return `messages.${at}: tool_calls is too short`;
      if (calls.length === 0 && typeof message["content"] !== "string") return `messages.${at}: content is missing`;
      open = new Set(calls.map((call) => stringOf(call["id"])));
      if (open.size !== calls.length) return `messages.${at}: duplicate tool call id`;
      for (const call of calls) {
        const { name, arguments: input } = isObject(call["function"]) ? call["function"] : {};
        if (typeof name !== "string" || typeof input !== "string")
          return `messages.${at}: a tool call needs a name and arguments`;
        try {
          if (!isObject(JSON.parse(input) as Json)) return `messages.${at}: arguments must be an object`;
        } catch {
          return `messages.${at}: arguments must be JSON`;
        }
      }
    } else if (role !== "user" && role !== "system" && role !== "developer") return `messages.${at}: unknown role`;
  }
  return open.size > 0 ? `tool calls without a response: ${[...open].join(", ")}` : undefined;
};

/** Undefined if the provider would take the request, else its complaint. */
export const checkAnthropicRequest = (
  body: Json,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): string | undefined => {
  if (headers["anthropic-version"] === undefined) return "anthropic-version: header is required";
  if (!isObject(body)) return "The request body is not valid JSON";
  if (typeof body["model"] !== "string") return "model: Field required";
  if (typeof body["max_tokens"] !== "number") return "max_tokens: Field required";
  if (body["stream"] !== true) return "this mock only streams";
  const messages = listOf(body["messages"]);
  if (messages[0]?.["role"] !== "user") return "messages: first message must use the user role";
  let marks = [...listOf(body["system"]), ...listOf(body["tools"])].filter(
    (block) => block["cache_control"] !== undefined,
  ).length;
  let open = new Set<string>();
  let before: Json | undefined;
  for (const [at, message] of messages.entries()) {
    if (message["role"] === before) return `messages.${at}: roles must alternate`;
    before = message["role"];
    const content = message["content"];
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
    if (blocks.length === 0) return `messages.${at}: content must not be empty`;
    const made = new Set<string>();
    let other = false;
    for (const block of blocks) {
      if (block["cache_control"] !== undefined) marks++;
      if (block["type"] === "text" && stringOf(block["text"]).trim() === "")
        return `messages.${at}: text content blocks must contain non-whitespace text`;
      if (block["type"] === "thinking" && typeof block["signature"] !== "string")
        return `messages.${at}: thinking needs its signature`;
      if (block["type"] === "tool_result") {
        if (other) return `messages.${at}: tool_result blocks must come first`;
        if (!open.delete(stringOf(block["tool_use_id"]))) return `messages.${at}: unexpected tool_use_id in tool_result`;
      } else if (message["role"] === "user") other = true;
      if (block["type"] === "tool_use") {
        if (!/^[\w-]+$/.test(stringOf(block["id"]))) return `messages.${at}: tool_use.id does not match ^[a-zA-Z0-9_-]+$`;
        if (!isObject(block["input"])) return `messages.${at}: tool_use.input must be an object`;
        if (made.has(stringOf(block["id"]))) return `messages.${at}: tool_use ids must be unique`;
        made.add(stringOf(block["id"]));
      }
    }
    if (open.size > 0) return `messages.${at}: tool_use ids were found without tool_result blocks: ${[...open].join(", ")}`;
    open = made;
  }
  if (open.size > 0) return `tool_use ids were found without tool_result blocks: ${[...open].join(", ")}`;
  return marks > 4 ? "A maximum of 4 blocks with cache_control may be provided" : undefined;
};
