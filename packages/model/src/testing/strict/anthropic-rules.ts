/** What Anthropic Messages refuses, rule by rule. Pairing of calls and results, order of roles and marks for the cache stand in `mock-server-check.ts`. */
import type { JsonObject } from "@retinue/protocol";
import { CLAUDE_PROPERTY_NAMES, NO_UNION_ON_TOP } from "./schema-rules.ts";
import { firstComplaint, isObject, listOf, onlyFields, stringOf } from "./strict-rule.ts";
import type { StrictRule } from "./strict-rule.ts";

const toolsOf = (body: JsonObject): readonly JsonObject[] => listOf(body["tools"]);

const blocksOf = (body: JsonObject): readonly JsonObject[] => listOf(body["messages"]).flatMap(({ content }) => listOf(content));

/** Claude from 4.7 on, whose sampling is its own. */
const isFixed = (model: string): boolean => /^claude-(?:[a-z]+-)?(?:4-[7-9]|[5-9])/.test(model);

const budgetOf = ({ thinking }: JsonObject): number | undefined =>
  isObject(thinking) && typeof thinking["budget_tokens"] === "number" ? thinking["budget_tokens"] : undefined;

export const ANTHROPIC_RULES: readonly StrictRule[] = [
  onlyFields(
    "https://platform.claude.com/docs/en/api/messages",
    "model messages max_tokens cache_control container context_management inference_geo mcp_servers metadata output_config output_format service_tier speed stop_sequences stream system temperature thinking tool_choice tools top_k top_p",
    (field) => `${field}: Extra inputs are not permitted`,
  ),
  {
    name: "no temperature from Claude 4.7 on",
    source:
      "https://platform.claude.com/docs/en/about-claude/models/migration-guide, https://github.com/rocketride-org/rocketride-server/issues/1194",
    refuse: (body) =>
      isFixed(stringOf(body["model"])) && ["temperature", "top_p", "top_k"].some((field) => body[field] !== undefined)
        ? "`temperature` is deprecated for this model."
        : undefined,
  },
  {
    name: "no budget of thoughts from Claude 4.7 on",
    source: "https://github.com/anthropics/skills/blob/da20c925/skills/claude-api/shared/error-codes.md",
    refuse: (body) =>
      isFixed(stringOf(body["model"])) && budgetOf(body) !== undefined
        ? "thinking.type: `enabled` is not supported for this model. Use `adaptive`."
        : undefined,
  },
  {
    name: "a budget of thoughts is below the limit of the answer",
    source: "https://platform.claude.com/docs/en/build-with-claude/extended-thinking",
    refuse: (body) => {
      const budget = budgetOf(body);
      if (budget === undefined) return undefined;
      if (budget < 1024) return "thinking.budget_tokens: Input should be greater than or equal to 1024";
      return budget >= Number(body["max_tokens"]) ? "`max_tokens` must be greater than `thinking.budget_tokens`." : undefined;
    },
  },
  {
    name: "the last word is the user's from Claude 4.6 on",
    source: "https://github.com/agenticloops-ai/agentic-ai-engineering/issues/43",
    refuse: (body) =>
      /^claude-(?:[a-z]+-)?(?:4-[6-9]|[5-9])/.test(stringOf(body["model"])) &&
      listOf(body["messages"]).at(-1)?.["role"] === "assistant"
        ? "This model does not support assistant message prefill. The conversation must end with a user message."
        : undefined,
  },
  {
    name: "a failed result says something",
    source:
      "https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use, reported word for word by several clients",
    refuse: (body) =>
      blocksOf(body).some(
        ({ type, is_error: isError, content }) =>
          type === "tool_result" &&
          isError === true &&
          (content === undefined || content === "" || (Array.isArray(content) && content.length === 0)),
      )
        ? "messages.2.content.0.tool_result: content cannot be empty if `is_error` is true"
        : undefined,
  },
  {
    name: "names of tools",
    source: "https://github.com/home-assistant/core/issues/147760",
    refuse: (body) =>
      firstComplaint(toolsOf(body), ({ name }) =>
        /^[\w-]{1,128}$/.test(stringOf(name))
          ? undefined
          : "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
      ),
  },
  {
    name: "no two tools of one name",
    source: "https://github.com/anthropics/claude-code/issues/10687",
    refuse: (body) => {
      const names = toolsOf(body).map(({ name }) => stringOf(name));
      return new Set(names).size === names.length ? undefined : "tools: Tool names must be unique.";
    },
  },
  {
    name: "a schema is one of an object, without a union on top",
    source: NO_UNION_ON_TOP.source,
    refuse: (body) =>
      firstComplaint(toolsOf(body), ({ input_schema: schema }) => {
        if (!isObject(schema) || schema["type"] !== "object") return "tools.0.custom.input_schema.type: Field required";
        return ["oneOf", "allOf", "anyOf"].some((keyword) => schema[keyword] !== undefined)
          ? "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"
          : undefined;
      }),
  },
  {
    name: CLAUDE_PROPERTY_NAMES.name,
    source: CLAUDE_PROPERTY_NAMES.source,
    refuse: (body) =>
      firstComplaint(toolsOf(body), ({ name, input_schema: schema }) =>
        isObject(schema) ? CLAUDE_PROPERTY_NAMES.refuse(schema, stringOf(name)) : undefined,
      ),
  },
  {
    name: "four formats of images",
    source: "https://platform.claude.com/docs/en/build-with-claude/vision",
    refuse: (body) =>
      firstComplaint(
        blocksOf(body).flatMap((block) => [block, ...listOf(block["content"])]),
        ({ type, source }) =>
          type === "image" && isObject(source) && !/^image\/(?:png|jpeg|gif|webp)$/.test(stringOf(source["media_type"]))
            ? "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'"
            : undefined,
      ),
  },
];
