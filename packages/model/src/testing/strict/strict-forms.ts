/** The strict forms of the mock server: what each provider refuses, so that a request it would not take fails in tests too. */
import type { Json } from "@retinue/protocol";
import { checkAnthropicRequest, checkOpenAiRequest } from "../mock-server-check.ts";
import { ANTHROPIC_RULES } from "./anthropic-rules.ts";
import * as chat from "./chat-rules.ts";
import { GEMINI_RULES } from "./gemini-rules.ts";
import { RESPONSES_RULES } from "./responses-rules.ts";
import { ANCHORED_PATTERNS, ARRAYS_HAVE_ITEMS, HAS_A_GRAMMAR, IS_OBJECT, NO_UNION_ON_TOP } from "./schema-rules.ts";
import { firstComplaint, isObject } from "./strict-rule.ts";
import type { StrictHeaders, StrictRule } from "./strict-rule.ts";

const CHAT_SHAPE: StrictRule = {
  name: "the shape of Chat Completions, and pairs of calls and results",
  source: "https://platform.openai.com/docs/api-reference/chat/create",
  refuse: (body) => checkOpenAiRequest(body),
};

const MESSAGES_SHAPE: StrictRule = {
  name: "the shape of Messages, the order of roles, and pairs of calls and results",
  source: "https://platform.claude.com/docs/en/api/messages",
  refuse: (body, headers) => checkAnthropicRequest(body, headers),
};

/** What every server of this kind refuses, or some that people run. */
const COMPATIBLE: readonly StrictRule[] = [
  CHAT_SHAPE,
  chat.TOOL_NAMES,
  chat.UNIQUE_TOOLS,
  chat.NO_EMPTY_TOOLS,
  chat.NO_EMPTY_ANSWERS,
  chat.overSchemas(IS_OBJECT),
];

const OPENAI_SCHEMAS: readonly StrictRule[] = [chat.overSchemas(NO_UNION_ON_TOP), chat.overSchemas(ARRAYS_HAVE_ITEMS)];

const OPENAI_CHAT: readonly StrictRule[] = [
  ...COMPATIBLE,
  ...OPENAI_SCHEMAS,
  chat.OPENAI_FIELDS,
  chat.AT_MOST_128_TOOLS,
  chat.CALL_IDS_OF_40,
  chat.TOOLS_WANT_RESPONSES,
  chat.NO_TEMPERATURE_WHERE_IT_THINKS,
  chat.NO_MAX_TOKENS_WHERE_IT_THINKS,
];

/** Servers that make a grammar of the tools: llama.cpp, and what has it inside. */
const GRAMMAR: readonly StrictRule[] = [
  ...COMPATIBLE,
  chat.overSchemas(ANCHORED_PATTERNS),
  chat.overSchemas(HAS_A_GRAMMAR),
  chat.IMAGES_ARE_DATA,
];

export const STRICT_FORMS = {
  "openai-compatible": [...COMPATIBLE, ...OPENAI_SCHEMAS],
  openai: OPENAI_CHAT,
  "openai-responses": RESPONSES_RULES,
  anthropic: [MESSAGES_SHAPE, ...ANTHROPIC_RULES],
  google: GEMINI_RULES,
  // It hands a request on to providers of all kinds.
  openrouter: [...COMPATIBLE, ...OPENAI_SCHEMAS, chat.AT_MOST_128_TOOLS, chat.CALL_IDS_OF_40],
  deepseek: [...COMPATIBLE, chat.AT_MOST_128_TOOLS, chat.TEXT_ALONE, chat.THOUGHTS_COME_BACK],
  mistral: [
    ...COMPATIBLE,
    chat.MISTRAL_FIELDS,
    chat.MISTRAL_CALL_IDS,
    chat.MISTRAL_ROLE_ORDER,
    chat.messagesOnly(
      "https://github.com/charmbracelet/crush/issues/1590",
      "role content tool_calls tool_call_id name prefix",
      (at, field) =>
        `{"type":"extra_forbidden","loc":["body","messages",${at},"${field}"],"msg":"Extra inputs are not permitted"}`,
    ),
  ],
  groq: [
    ...COMPATIBLE,
    ...OPENAI_SCHEMAS,
    chat.AT_MOST_128_TOOLS,
    chat.messagesOnly(
      "https://github.com/janhq/jan/issues/8136, https://github.com/vercel/ai/pull/8057",
      "role content tool_calls tool_call_id name reasoning",
      (at, field) =>
        `'messages.${at}' : for 'role:assistant' the following must be satisfied[('messages.${at}' : property '${field}' is unsupported)]`,
    ),
  ],
  ollama: [...COMPATIBLE, chat.IMAGES_ARE_DATA],
  "docker-model-runner": GRAMMAR,
} as const satisfies Record<string, readonly StrictRule[]>;

export type StrictProvider = keyof typeof STRICT_FORMS;

/** The provider's complaint about a request, undefined where it would take it. */
export const complaintOf = (provider: StrictProvider, body: Json, headers: StrictHeaders): string | undefined =>
  isObject(body)
    ? firstComplaint<StrictRule>(STRICT_FORMS[provider], ({ refuse }) => refuse(body, headers))
    : "We could not parse the JSON body of your request.";
