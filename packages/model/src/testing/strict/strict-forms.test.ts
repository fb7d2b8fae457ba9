import type { Json, JsonObject, Message } from "@retinue/protocol";
import { afterEach, describe, expect, test } from "vitest";
import type { ModelRequest } from "../../contract.ts";
import { createModels } from "../../models.ts";
import type { MockServer } from "../mock-server.ts";
import { startMockServer } from "../mock-server.ts";
import { complaintOf, STRICT_FORMS } from "./strict-forms.ts";
import type { StrictProvider } from "./strict-forms.ts";

const HEADERS = { "anthropic-version": "2023-06-01" };
const user = { role: "user", content: "hi" };
const schema = { type: "object", properties: { path: { type: "string" } } };
const tool = (parameters: JsonObject = schema, name = "read"): Json => ({ type: "function", function: { name, parameters } });
const call = (id: string): Json => ({ id, type: "function", function: { name: "read", arguments: "{}" } });
const called = (id: string, ...after: Json[]): JsonObject => ({
  messages: [
    user,
    { role: "assistant", content: null, tool_calls: [call(id)] },
    { role: "tool", tool_call_id: id, content: "x" },
    ...after,
  ],
});
const chat = (fields: JsonObject = {}): JsonObject => ({ model: "m", stream: true, messages: [user], ...fields });
const claude = (fields: JsonObject = {}): JsonObject => ({
  model: "claude-sonnet-5",
  max_tokens: 99,
  stream: true,
  messages: [user],
  ...fields,
});
const gemini = (fields: JsonObject = {}): JsonObject => ({ contents: [{ role: "user", parts: [{ text: "hi" }] }], ...fields });
const declared = (parameters: JsonObject): JsonObject => ({ tools: [{ functionDeclarations: [{ name: "read", parameters }] }] });
const responses = (fields: JsonObject = {}): JsonObject => ({ model: "gpt-6-sol", stream: true, input: [user], ...fields });
const picture = { role: "user", content: [{ type: "image_url", image_url: { url: "https://example.test/a.png" } }] };

/** A request that each rule refuses, by the words of its complaint. */
const REFUSED: readonly (readonly [StrictProvider, JsonObject, RegExp])[] = [
  ["openai-compatible", chat({ tools: [tool(schema, "a b")] }), /does not match pattern/],
  ["openai-compatible", chat({ tools: [tool(), tool()] }), /must be unique/],
  ["openai-compatible", chat({ tools: [] }), /empty array/],
  ["openai-compatible", chat({ messages: [user, { role: "assistant", content: "" }, user] }), /either content or tool_calls/],
  ["openai-compatible", chat({ tools: [tool({})] }), /must be a JSON Schema of 'type: "object"'/],
  ["openai", chat({ tools: [tool({ type: "object", anyOf: [] })] }), /at the top level/],
  ["openai", chat({ tools: [tool({ type: "object", properties: { a: { type: "array" } } })] }), /missing items/],
  ["openai", chat({ top_k: 3 }), /Unrecognized request argument/],
  ["openai", chat({ tools: Array.from({ length: 129 }, (_, n) => tool(schema, `t${n}`)) }), /maximum length 128/],
  ["openai", chat(called("x".repeat(41))), /maximum length 40/],
  ["openai", chat({ model: "gpt-6-sol", tools: [tool()] }), /use \/v1\/responses/],
  ["openai", chat({ model: "gpt-5-mini", temperature: 0 }), /Only the default \(1\)/],
  ["openai", chat({ model: "o3", max_tokens: 9 }), /Use 'max_completion_tokens'/],
  ["openai-responses", responses({ messages: [] }), /moved to 'input'/],
  ["openai-responses", responses({ n: 1 }), /Unknown parameter/],
  ["openai-responses", responses({ input: [] }), /Missing required parameter: 'input'/],
  ["openai-responses", responses({ temperature: 0 }), /'temperature' is not supported/],
  ["openai-responses", responses({ max_output_tokens: 5 }), />= 16/],
  ["openai-responses", responses({ tools: [tool()] }), /tools\[0\].name/],
  ["openai-responses", responses({ tools: [{ type: "function", name: "a", parameters: {} }] }), /'type: "object"'/],
  [
    "openai-responses",
    responses({ tools: [{ type: "function", name: "a", strict: true, parameters: schema }] }),
    /additionalProperties/,
  ],
  [
    "openai-responses",
    responses({ input: [user, { type: "function_call", call_id: "x".repeat(65), name: "a", arguments: "{}" }] }),
    /maximum length 64/,
  ],
  [
    "openai-responses",
    responses({ input: [user, { type: "function_call", call_id: "c", name: "a", arguments: "{}" }] }),
    /No tool output/,
  ],
  ["openai-responses", responses({ input: [user, { type: "function_call_output", call_id: "c", output: "" }] }), /No tool call/],
  [
    "openai-responses",
    responses({ input: [{ type: "reasoning", id: "rs_1", encrypted_content: "e" }, user] }),
    /required following item/,
  ],
  [
    "openai-responses",
    responses({ store: false, input: [{ type: "reasoning", id: "rs_1" }, { role: "assistant", content: "x" }, user] }),
    /not persisted/,
  ],
  ["anthropic", claude({ n: 1 }), /Extra inputs/],
  ["anthropic", claude({ temperature: 0 }), /deprecated/],
  ["anthropic", claude({ thinking: { type: "enabled", budget_tokens: 2000 } }), /adaptive/],
  ["anthropic", claude({ model: "claude-haiku-4-5", thinking: { type: "enabled", budget_tokens: 500 } }), /1024/],
  ["anthropic", claude({ model: "claude-haiku-4-5", thinking: { type: "enabled", budget_tokens: 2000 } }), /must be greater/],
  ["anthropic", claude({ messages: [user, { role: "assistant", content: "so" }] }), /prefill/],
  ["anthropic", claude({ tools: [{ name: "a b", input_schema: schema }] }), /should match pattern/],
  [
    "anthropic",
    claude({
      tools: [
        { name: "a", input_schema: schema },
        { name: "a", input_schema: schema },
      ],
    }),
    /unique/,
  ],
  ["anthropic", claude({ tools: [{ name: "a", input_schema: {} }] }), /Field required/],
  ["anthropic", claude({ tools: [{ name: "a", input_schema: { type: "object", oneOf: [] } }] }), /top level/],
  ["anthropic", claude({ tools: [{ name: "a", input_schema: { type: "object", properties: { "a b": {} } } }] }), /Property keys/],
  [
    "anthropic",
    claude({
      messages: [{ role: "user", content: [{ type: "image", source: { type: "base64", media_type: "image/bmp", data: "" } }] }],
    }),
    /media_type/,
  ],
  [
    "anthropic",
    claude({
      messages: [
        user,
        { role: "assistant", content: [{ type: "tool_use", id: "c", name: "a", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "c", is_error: true }] },
      ],
    }),
    /cannot be empty if/,
  ],
  ["google", gemini({ model: "x" }), /Unknown name "model"/],
  ["google", { contents: [] }, /contents is not specified/],
  ["google", { contents: [{ role: "assistant", parts: [{ text: "x" }] }] }, /valid role/],
  ["google", { contents: [{ role: "user", parts: [] }] }, /must not be empty/],
  ["google", gemini({ contents: [{ role: "user", parts: [{ functionResponse: { name: "a" } }] }] }), /equal to the number/],
  [
    "google",
    gemini({
      contents: [
        { role: "user", parts: [{ text: "x" }] },
        { role: "model", parts: [{ functionCall: { name: "a" } }] },
      ],
    }),
    /thought_signature/,
  ],
  ["google", gemini({ tools: [{ functionDeclarations: [{ name: "1" }] }] }), /Invalid function name/],
  ["google", gemini(declared({ type: "object", additionalProperties: false })), /Unknown name "additionalProperties"/],
  ["google", gemini(declared({ type: "object", properties: { a: { type: "number", enum: [1] } } })), /only allowed for STRING/],
  ["google", gemini(declared({ type: "object", properties: { a: { type: "array" } } })), /items: missing field/],
  ["google", gemini(declared({ type: "object", properties: {}, required: ["a"] })), /property is not defined/],
  ["deepseek", chat({ messages: [picture] }), /unknown variant `image_url`/],
  ["deepseek", chat(called("c")), /must be passed back/],
  ["mistral", chat({ max_completion_tokens: 5 }), /extra_forbidden/],
  ["mistral", chat(called("call_1")), /length of 9/],
  ["mistral", chat(called("abcdefgh1", user)), /'user' after role 'tool'/],
  ["mistral", chat({ messages: [user, { role: "assistant", content: "x" }] }), /Expected last role/],
  ["mistral", chat({ messages: [user, { role: "assistant", content: "x", reasoning_content: "y" }, user] }), /extra_forbidden/],
  [
    "groq",
    chat({ messages: [user, { role: "assistant", content: "x", reasoning_content: "y" }, user] }),
    /'reasoning_content' is unsupported/,
  ],
  ["ollama", chat({ messages: [picture] }), /invalid image input/],
  [
    "docker-model-runner",
    chat({ tools: [tool({ type: "object", properties: { a: { type: "string", pattern: "a+" } } })] }),
    /Pattern must start/,
  ],
  ["docker-model-runner", chat({ tools: [tool({ type: "object", properties: { a: { minimum: 3 } } })] }), /Unrecognized schema/],
];

describe("a strict form", () => {
  test.each(REFUSED)("of %s refuses %j", (provider, body, words) => {
    expect(complaintOf(provider, body, HEADERS)).toMatch(words);
  });

  test("takes a plain request, and every rule has its source", () => {
    for (const [provider, rules] of Object.entries(STRICT_FORMS)) {
      const body =
        { anthropic: claude(), google: gemini(), "openai-responses": responses() }[provider] ?? chat({ tools: [tool()] });
      expect(complaintOf(provider as StrictProvider, body, HEADERS), provider).toBeUndefined();
      for (const { name, source } of rules) expect(source, `${provider}: ${name}`).toMatch(/^https:\/\//);
    }
  });
});

let server: MockServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** All that a run may send: tools with odd schemas, calls with ids of other providers, empty answers, failures without words, and pictures. */
const HISTORY: readonly Message[] = [
  { role: "user", content: [{ type: "text", text: "go" }] },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "hm" },
      { type: "tool-call", callId: "toolu_01A", tool: "read", arguments: '{"path":"a"}' },
      { type: "tool-call", callId: "toolu_01B", tool: "read", arguments: "not json" },
    ],
  },
  { role: "tool", callId: "toolu_01A", tool: "read", content: [{ type: "text", text: "" }], isError: true },
  { role: "tool", callId: "toolu_01B", tool: "read", content: [{ type: "text", text: "no" }], isError: true },
  { role: "user", content: [{ type: "text", text: "and?" }] },
  { role: "assistant", content: [] },
  { role: "user", content: [{ type: "text", text: "well?" }] },
  { role: "assistant", content: [{ type: "text", text: "so far" }] },
];

const REQUEST: ModelRequest = {
  system: "You help.",
  messages: HISTORY,
  toolChoice: "auto",
  tools: [
    { name: "read", description: "Reads.", inputSchema: schema },
    {
      name: "odd",
      description: "From a server that knows no provider.",
      inputSchema: {
        $schema: "http://json-schema.org/draft-07/schema#",
        anyOf: [
          { type: "object", properties: { a: { type: "array" } }, required: ["a"] },
          { properties: { b: { type: "string", pattern: "x+" } } },
        ],
      },
    },
    { name: "none", description: "Takes nothing.", inputSchema: {} },
  ],
};

const MODELS: readonly (readonly [StrictProvider, type: string, model: string, path: string])[] = [
  ["openai-compatible", "openai-compatible", "m", "/v1"],
  ["anthropic", "anthropic", "claude-sonnet-5", "/v1"],
  ["google", "google", "gemini-3.8-flash", "/v1beta"],
  ["openrouter", "openrouter", "anthropic/claude-sonnet-5", "/api/v1"],
  ["mistral", "mistral", "mistral-large-latest", "/v1"],
  ["groq", "groq", "openai/gpt-oss-120b", "/openai/v1"],
  ["ollama", "ollama", "qwen3:8b", "/v1"],
  ["docker-model-runner", "docker-model-runner", "ai/qwen3", "/engines/v1"],
];

test.each(MODELS)(
  "%s takes what we send: odd schemas, foreign ids, empty answers, failures without words",
  async (provider, type, model, path) => {
    const mock = (server = await startMockServer({ provider, reply: () => ({ text: "fine" }) }));
    const models = createModels({
      providers: { there: { type, baseUrl: mock.origin + path } },
      env: {
        ANTHROPIC_API_KEY: "k-1",
        GEMINI_API_KEY: "k-1",
        OPENROUTER_API_KEY: "k-1",
        MISTRAL_API_KEY: "k-1",
        GROQ_API_KEY: "k-1",
      },
      retry: { attempts: 1, maxWaitMs: 0 },
      streamIdleMs: 5000,
    });
    const asked = await models.resolve(`there/${model}`);
    let text = "";
    for await (const chunk of asked.stream(REQUEST, new AbortController().signal)) if (chunk.type === "text") text += chunk.text;
    expect(text).toBe("fine");
  },
);
