/** What servers of the kind of OpenAI Chat Completions refuse, rule by rule. Which of them a provider has stands in `strict-forms.ts`. */
import type { JsonObject } from "@retinue/protocol";
import type { SchemaRule } from "./schema-rules.ts";
import { firstComplaint, isObject, listOf, onlyFields, stringOf } from "./strict-rule.ts";
import type { StrictRule } from "./strict-rule.ts";

/** Models of OpenAI that think before they answer. */
const isReasoning = (model: string): boolean => /^(?:o\d|gpt-(?:[5-9]|\d\d))/.test(model) && !/-chat/.test(model);

const functionsOf = (body: JsonObject): readonly JsonObject[] =>
  listOf(body["tools"]).map((tool) => (isObject(tool["function"]) ? tool["function"] : {}));

const messagesOf = (body: JsonObject): readonly JsonObject[] => listOf(body["messages"]);

const callsOf = (body: JsonObject): readonly JsonObject[] => messagesOf(body).flatMap((message) => listOf(message["tool_calls"]));

export const overSchemas = ({ name, source, refuse }: SchemaRule): StrictRule => ({
  name,
  source,
  refuse: (body) =>
    firstComplaint(functionsOf(body), (one) =>
      isObject(one["parameters"]) ? refuse(one["parameters"], stringOf(one["name"])) : undefined,
    ),
});

export const TOOL_NAMES: StrictRule = {
  name: "names of tools",
  source: "https://platform.openai.com/docs/api-reference/chat/create (tools.function.name)",
  refuse: (body) =>
    firstComplaint(functionsOf(body), ({ name }) =>
      /^[\w-]{1,64}$/.test(stringOf(name))
        ? undefined
        : "Invalid 'tools[0].function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'.",
    ),
};

export const UNIQUE_TOOLS: StrictRule = {
  name: "no two tools of one name",
  source: "https://github.com/anthropics/claude-code/issues/10687",
  refuse: (body) => {
    const names = functionsOf(body).map(({ name }) => stringOf(name));
    return new Set(names).size === names.length ? undefined : "Tool names must be unique.";
  },
};

export const AT_MOST_128_TOOLS: StrictRule = {
  name: "at most 128 tools",
  source:
    "https://platform.openai.com/docs/api-reference/chat/create (tools), https://console.groq.com/docs/api-reference#chat-create (tools)",
  refuse: (body) =>
    functionsOf(body).length > 128 ? "Invalid 'tools': array too long. Expected an array with maximum length 128." : undefined,
};

export const NO_EMPTY_TOOLS: StrictRule = {
  name: "no empty list of tools",
  source: "https://github.com/partITech/php-mistral/issues/76",
  refuse: (body) =>
    Array.isArray(body["tools"]) && body["tools"].length === 0
      ? "Invalid 'tools': empty array. Expected an array with minimum length 1."
      : undefined,
};

export const CALL_IDS_OF_40: StrictRule = {
  name: "ids of calls have at most 40 characters",
  source: "https://github.com/agno-agi/agno/issues/5382",
  refuse: (body) =>
    firstComplaint(callsOf(body), ({ id }) =>
      stringOf(id).length <= 40
        ? undefined
        : `Invalid 'messages[0].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length ${stringOf(id).length} instead.`,
    ),
};

export const TOOLS_WANT_RESPONSES: StrictRule = {
  name: "models that think take tools only by Responses, or without effort",
  source: "https://github.com/BerriAI/litellm/pull/34569, https://github.com/jeffdafoe/llm-memory-api/pull/178",
  refuse: (body) => {
    const model = stringOf(body["model"]);
    const thinks = /^gpt-(?:5\.[4-9]|[6-9])/.test(model) && body["reasoning_effort"] !== "none";
    return thinks && functionsOf(body).length > 0
      ? `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`
      : undefined;
  },
};

export const NO_TEMPERATURE_WHERE_IT_THINKS: StrictRule = {
  name: "models that think take no temperature",
  source: "https://platform.openai.com/docs/guides/reasoning",
  refuse: (body) =>
    isReasoning(stringOf(body["model"])) && body["temperature"] !== undefined && body["temperature"] !== 1
      ? "Unsupported value: 'temperature' does not support this value with this model. Only the default (1) value is supported."
      : undefined,
};

export const NO_MAX_TOKENS_WHERE_IT_THINKS: StrictRule = {
  name: "models that think take max_completion_tokens",
  source: "https://platform.openai.com/docs/api-reference/chat/create (max_tokens)",
  refuse: (body) =>
    isReasoning(stringOf(body["model"])) && body["max_tokens"] !== undefined
      ? "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
      : undefined,
};

export const OPENAI_FIELDS = onlyFields(
  "https://platform.openai.com/docs/api-reference/chat/create",
  "messages model audio frequency_penalty logit_bias logprobs max_completion_tokens max_tokens metadata modalities n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options",
  (field) => `Unrecognized request argument supplied: ${field}`,
);

export const MISTRAL_FIELDS = onlyFields(
  "https://docs.mistral.ai/api/endpoint/chat, https://github.com/editor-code-assistant/eca/issues/231",
  "model messages temperature top_p max_tokens stream stream_options stop random_seed metadata response_format tools tool_choice presence_penalty frequency_penalty n prediction parallel_tool_calls prompt_mode reasoning_effort safe_prompt prompt_cache_key",
  (field) => `{"detail":[{"type":"extra_forbidden","loc":["body","${field}"],"msg":"Extra inputs are not permitted"}]}`,
);

export const MISTRAL_CALL_IDS: StrictRule = {
  name: "ids of calls are nine letters and digits",
  source: "https://github.com/anomalyco/opencode/issues/1680, https://github.com/nearai/ironclaw/issues/1241",
  refuse: (body) =>
    firstComplaint(
      [...callsOf(body).map(({ id }) => id), ...messagesOf(body).flatMap((message) => message["tool_call_id"] ?? [])],
      (id) =>
        /^[a-zA-Z0-9]{9}$/.test(stringOf(id))
          ? undefined
          : `Tool call id was ${stringOf(id)} but must be a-z, A-Z, 0-9, with a length of 9.`,
    ),
};

export const MISTRAL_ROLE_ORDER: StrictRule = {
  name: "after results the model speaks",
  source: "https://github.com/zed-industries/zed/issues/37021, https://github.com/NousResearch/hermes-agent/issues/20154",
  refuse: (body) => {
    const roles = messagesOf(body).map(({ role }) => stringOf(role));
    if (roles.some((role, at) => role === "user" && roles[at - 1] === "tool")) return "Unexpected role 'user' after role 'tool'";
    return roles.at(-1) === "assistant"
      ? "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant"
      : undefined;
  },
};

/** A message of the model that says nothing and calls nothing. */
export const NO_EMPTY_ANSWERS: StrictRule = {
  name: "an answer has content or calls",
  source: "https://github.com/OpenHands/OpenHands/issues/8685",
  refuse: (body) =>
    messagesOf(body).some(
      ({ role, content, tool_calls: calls }) =>
        role === "assistant" && (content === undefined || content === null || content === "") && listOf(calls).length === 0,
    )
      ? "Assistant message must have either content or tool_calls, but not none."
      : undefined,
};

/** Fields of a message that are refused. */
export const messagesOnly = (source: string, fields: string, words: (at: number, field: string) => string): StrictRule => {
  const known = new Set(fields.split(" "));
  return {
    name: "unknown fields of a message",
    source,
    refuse: (body) =>
      firstComplaint(messagesOf(body).entries(), ([at, message]) =>
        firstComplaint(Object.keys(message), (field) => (known.has(field) ? undefined : words(at, field))),
      ),
  };
};

export const TEXT_ALONE: StrictRule = {
  name: "messages are text",
  source: "https://github.com/rikkahub/rikkahub/issues/1433",
  refuse: (body) =>
    messagesOf(body).some(({ content }) => listOf(content).some(({ type }) => type === "image_url"))
      ? "Failed to deserialize the JSON body into the target type: messages[1]: unknown variant `image_url`, expected `text`"
      : undefined,
};

export const THOUGHTS_COME_BACK: StrictRule = {
  name: "thoughts come back with calls",
  source: "https://api-docs.deepseek.com/guides/thinking_mode#tool-calls, https://github.com/anomalyco/opencode/issues/17523",
  refuse: (body) => {
    const thinks = !(isObject(body["thinking"]) && body["thinking"]["type"] === "disabled");
    if (!thinks) return undefined;
    const messages = messagesOf(body);
    const asked = messages.findLastIndex(({ role }) => role === "user");
    return messages.some(
      ({ role, reasoning_content: thought, tool_calls: calls }, at) =>
        at > asked && role === "assistant" && listOf(calls).length > 0 && typeof thought !== "string",
    )
      ? "The `reasoning_content` in the thinking mode must be passed back to the API."
      : undefined;
  },
};

export const IMAGES_ARE_DATA: StrictRule = {
  name: "images are data",
  source: "https://github.com/ollama/ollama/issues/6753",
  refuse: (body) =>
    messagesOf(body).some(({ content }) =>
      listOf(content).some(
        ({ type, image_url: image }) =>
          type === "image_url" && !stringOf(isObject(image) ? image["url"] : image).startsWith("data:image/"),
      ),
    )
      ? "invalid image input"
      : undefined,
};
