/** What OpenAI's Responses refuses, rule by rule. */
import type { JsonObject } from "@retinue/protocol";
import { ARRAYS_HAVE_ITEMS, IS_OBJECT, NO_UNION_ON_TOP } from "./schema-rules.ts";
import { firstComplaint, isObject, listOf, onlyFields, stringOf } from "./strict-rule.ts";
import type { StrictRule } from "./strict-rule.ts";

const itemsOf = (body: JsonObject): readonly JsonObject[] => listOf(body["input"]);

const isReasoning = (model: string): boolean => /^(?:o\d|gpt-(?:[5-9]|\d\d))/.test(model) && !/-chat/.test(model);

export const RESPONSES_RULES: readonly StrictRule[] = [
  onlyFields(
    "https://platform.openai.com/docs/api-reference/responses/create",
    "background context_management conversation include input instructions max_output_tokens max_tool_calls metadata model parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user",
    (field) =>
      field === "messages"
        ? "Unsupported parameter: 'messages'. In the Responses API, this parameter has moved to 'input'."
        : `Unknown parameter: '${field}'.`,
  ),
  {
    name: "something is asked",
    source: "https://platform.openai.com/docs/api-reference/responses/create (input)",
    refuse: (body) =>
      itemsOf(body).length === 0 && typeof body["input"] !== "string" ? "Missing required parameter: 'input'." : undefined,
  },
  {
    name: "models that think take no temperature",
    source: "https://platform.openai.com/docs/guides/reasoning",
    refuse: (body) =>
      isReasoning(stringOf(body["model"])) && body["temperature"] !== undefined
        ? "Unsupported parameter: 'temperature' is not supported with this model."
        : undefined,
  },
  {
    name: "an answer has room for 16 tokens",
    source: "https://platform.openai.com/docs/api-reference/responses/create (max_output_tokens)",
    refuse: ({ max_output_tokens: limit }) =>
      typeof limit === "number" && limit < 16
        ? "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16."
        : undefined,
  },
  {
    name: "tools are flat, and their names plain",
    source: "https://platform.openai.com/docs/guides/function-calling",
    refuse: (body) =>
      firstComplaint(listOf(body["tools"]), (tool) => {
        if (tool["type"] !== "function") return undefined;
        if (typeof tool["name"] !== "string") return "Missing required parameter: 'tools[0].name'.";
        return /^[\w-]{1,64}$/.test(tool["name"])
          ? undefined
          : "Invalid 'tools[0].name': string does not match pattern '^[a-zA-Z0-9_-]+$'.";
      }),
  },
  ...[IS_OBJECT, NO_UNION_ON_TOP, ARRAYS_HAVE_ITEMS].map(({ name, source, refuse }) => ({
    name,
    source,
    refuse: (body: JsonObject) =>
      firstComplaint(listOf(body["tools"]), ({ name: tool, parameters }) =>
        isObject(parameters) ? refuse(parameters, stringOf(tool)) : undefined,
      ),
  })),
  {
    name: "a strict schema names every property and no others",
    source: "https://platform.openai.com/docs/guides/structured-outputs#supported-schemas",
    refuse: (body) =>
      firstComplaint(listOf(body["tools"]), ({ name, strict, parameters }) => {
        if (strict !== true || !isObject(parameters)) return undefined;
        const properties = Object.keys(isObject(parameters["properties"]) ? parameters["properties"] : {});
        const required = Array.isArray(parameters["required"]) ? parameters["required"] : [];
        return parameters["additionalProperties"] !== false || properties.some((property) => !required.includes(property))
          ? `Invalid schema for function '${stringOf(name)}': 'additionalProperties' is required to be supplied and to be false.`
          : undefined;
      }),
  },
  {
    name: "ids of calls have at most 64 characters",
    source: "https://github.com/openclaw/openclaw/pull/875",
    refuse: (body) =>
      firstComplaint(itemsOf(body), ({ call_id: id }) =>
        stringOf(id).length <= 64
          ? undefined
          : "Invalid 'input[0].call_id': string too long. Expected a string with maximum length 64.",
      ),
  },
  {
    name: "every call has its output, and every output its call",
    source: "https://github.com/openai/openai-agents-python/issues/2165",
    refuse: (body) => {
      const idsOf = (type: string) =>
        itemsOf(body)
          .filter((item) => item["type"] === type)
          .map(({ call_id: id }) => stringOf(id));
      const calls = idsOf("function_call");
      const outputs = idsOf("function_call_output");
      const open = calls.find((id) => !outputs.includes(id));
      if (open !== undefined) return `No tool output found for function call ${open}.`;
      const lost = outputs.find((id) => !calls.includes(id));
      return lost === undefined ? undefined : `No tool call found for function call output with call_id ${lost}.`;
    },
  },
  {
    name: "a thought stands before what it led to",
    source: "https://github.com/vercel/ai/pull/10829, https://github.com/TanStack/ai/issues/1212",
    refuse: (body) => {
      const items = itemsOf(body);
      return firstComplaint(items.entries(), ([at, item]) => {
        const next = items[at + 1];
        const isFollowed =
          next !== undefined &&
          (next["type"] === "reasoning" || next["type"] === "function_call" || next["role"] === "assistant");
        return item["type"] === "reasoning" && !isFollowed
          ? `Item '${stringOf(item["id"])}' of type 'reasoning' was provided without its required following item.`
          : undefined;
      });
    },
  },
  {
    name: "what is not stored is sent whole",
    source: "https://github.com/earendil-works/pi/issues/5059",
    refuse: (body) =>
      firstComplaint(itemsOf(body), (item) =>
        body["store"] === false && item["type"] === "reasoning" && typeof item["encrypted_content"] !== "string"
          ? `Item with id '${stringOf(item["id"])}' not found. Items are not persisted when \`store\` is set to false.`
          : undefined,
      ),
  },
];
