import type { Message } from "@retinue/protocol";
import { describe, expect, it } from "vitest";
import type { ModelRequest, ToolDeclaration } from "../contract.ts";
import { checkOpenAiRequest } from "../testing/mock-server-check.ts";
import { createOpenAiBody } from "./openai-request.ts";

const TOOLS: ToolDeclaration[] = [{ name: "look", description: "looks", inputSchema: { type: "object", properties: {} } }];
const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const;

const toBody = createOpenAiBody({ model: "m-1", provider: "acme", maxTokensField: "max_tokens" });
const bodyOf = (request: Partial<ModelRequest>) => {
  const body: unknown = JSON.parse(toBody({ system: "", messages: [user("hi")], tools: [], toolChoice: "auto", ...request }));
  expect(checkOpenAiRequest(body as never)).toBeUndefined();
  return body;
};

describe("a request to Chat Completions", () => {
  it("streams, asks for usage and begins with the system prompt", () => {
    expect(bodyOf({ system: 'be "brief"' })).toEqual({
      model: "m-1",
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: "system", content: 'be "brief"' },
        { role: "user", content: "hi" },
      ],
    });
  });

  it("carries tools, the ban on them, temperature and the limit on output", () => {
    expect(bodyOf({ tools: TOOLS, toolChoice: "none", temperature: 0, maxOutputTokens: 5 })).toMatchObject({
      tools: [{ type: "function", function: { name: "look", description: "looks", parameters: { type: "object" } } }],
      tool_choice: "none",
      temperature: 0,
      max_tokens: 5,
    });
    expect(bodyOf({ toolChoice: "none" })).not.toHaveProperty("tool_choice");
  });

  it("names the limit as OpenAI's own models want it", () => {
    const own = createOpenAiBody({ model: "m", provider: "openai", maxTokensField: "max_completion_tokens" });
    expect(
      JSON.parse(own({ system: "", messages: [user("x")], tools: [], toolChoice: "auto", maxOutputTokens: 7 })),
    ).toMatchObject({
      max_completion_tokens: 7,
    });
  });

  it("replays calls and results, arguments that are no JSON object whole within one", () => {
    const messages: Message[] = [
      user("go"),
      {
        role: "assistant",
        content: [
          { type: "text", text: "looking" },
          { type: "tool-call", callId: "c1", tool: "look", arguments: '{ "a": 1 }' },
          { type: "tool-call", callId: "c2", tool: "look", arguments: '{"path":"/et' },
          { type: "tool-call", callId: "c3", tool: "look", arguments: "[1]" },
          { type: "tool-call", callId: "c4", tool: "look", arguments: "" },
        ],
      },
      ...["c1", "c2", "c3", "c4"].map((callId): Message => ({
        role: "tool",
        callId,
        tool: "look",
        content: [{ type: "text", text: `r ${callId}` }],
        isError: false,
      })),
    ];
    expect(bodyOf({ messages, tools: TOOLS })).toMatchObject({
      messages: [
        { role: "user" },
        {
          role: "assistant",
          content: "looking",
          tool_calls: ['{ "a": 1 }', '{"malformed_arguments":"{\\"path\\":\\"/et"}', '{"malformed_arguments":"[1]"}', "{}"].map(
            (text, at) => ({
              id: `c${at + 1}`,
              type: "function",
              function: { name: "look", arguments: text },
            }),
          ),
        },
        ...["c1", "c2", "c3", "c4"].map((id) => ({ role: "tool", tool_call_id: id, content: `r ${id}` })),
      ],
    });
  });

  it("moves images of results behind the last result of the turn", () => {
    const messages: Message[] = [
      user("go"),
      {
        role: "assistant",
        content: ["c1", "c2"].map((callId) => ({ type: "tool-call", callId, tool: "look", arguments: "{}" })),
      },
      { role: "tool", callId: "c1", tool: "look", content: [image], isError: false },
      { role: "tool", callId: "c2", tool: "look", content: [{ type: "text", text: "ok" }, image], isError: false },
      user("and now?"),
    ];
    const url = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    const expected = [
      { role: "user", content: "go" },
      { role: "assistant" },
      { role: "tool", tool_call_id: "c1", content: "(images follow)" },
      { role: "tool", tool_call_id: "c2", content: "ok" },
      {
        role: "user",
        content: [
          { type: "text", text: "Images in the result of look (c1):" },
          url,
          { type: "text", text: "Images in the result of look (c2):" },
          url,
        ],
      },
    ];
    expect(bodyOf({ messages, tools: TOOLS })).toMatchObject({ messages: [...expected, { role: "user", content: "and now?" }] });
    // The second time everything comes from the cache.
    expect(bodyOf({ messages: messages.slice(0, 4), tools: TOOLS })).toMatchObject({ messages: expected });
  });

  it("sends images of the user as parts", () => {
    expect(bodyOf({ messages: [{ role: "user", content: [{ type: "text", text: "see" }, image] }] })).toMatchObject({
      messages: [
        {
          content: [
            { type: "text", text: "see" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          ],
        },
      ],
    });
  });

  it("hands thoughts back beside calls to the server they came from, and to no other", () => {
    const messages: Message[] = [
      user("go"),
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "hm", opaque: { provider: "acme", reasoningField: "reasoning_content" } },
          {
            type: "tool-call",
            callId: "c1",
            tool: "look",
            arguments: "{}",
            opaque: { provider: "acme", extraContent: { s: 1 } },
          },
        ],
      },
      { role: "tool", callId: "c1", tool: "look", content: [], isError: false },
    ];
    expect(bodyOf({ messages, tools: TOOLS })).toMatchObject({
      messages: [
        {},
        { content: null, reasoning_content: "hm", tool_calls: [{ id: "c1", extra_content: { s: 1 } }] },
        { content: "" },
      ],
    });
    const other = createOpenAiBody({ model: "m", provider: "other", maxTokensField: "max_tokens" });
    const text = other({ system: "", messages, tools: TOOLS, toolChoice: "auto" });
    expect(text).not.toContain("hm");
    expect(text).not.toContain("extra_content");
  });

  it("makes the text of a message and of a tool once", () => {
    let reads = 0;
    const watched: Message = {
      role: "user",
      get content() {
        reads++;
        return [{ type: "text" as const, text: "watched" }];
      },
    };
    let schemas = 0;
    const tool: ToolDeclaration = {
      name: "t",
      description: "d",
      get inputSchema() {
        schemas++;
        return {};
      },
    };
    const first = toBody({ system: "s", messages: [watched], tools: [tool], toolChoice: "auto" });
    const readsOnce = reads;
    expect(schemas).toBe(1);
    expect(toBody({ system: "s", messages: [watched], tools: [tool], toolChoice: "auto" })).toBe(first);
    expect(reads).toBe(readsOnce);
    expect(schemas).toBe(1);
  });
});

it("marks what Claude on OpenRouter is to cache, and nothing for others", () => {
  const messages: Message[] = [
    { role: "user", content: [{ type: "text", text: "a" }] },
    { role: "assistant", content: [{ type: "tool-call", callId: "c1", tool: "look", arguments: "{}" }] },
    { role: "tool", callId: "c1", tool: "look", isError: false, content: [{ type: "text", text: "b" }] },
  ];
  const bodyFor = (model: string): string =>
    createOpenAiBody({ model, provider: "openrouter", maxTokensField: "max_tokens" })({
      system: "s",
      messages,
      tools: [],
      toolChoice: "auto",
    });
  const marked = (text: string) => [{ type: "text", text, cache_control: { type: "ephemeral" } }];
  expect(JSON.parse(bodyFor("anthropic/claude-sonnet-5"))).toMatchObject({
    messages: [{ role: "system", content: marked("s") }, { content: marked("a") }, {}, { role: "tool", content: marked("b") }],
  });
  expect(bodyFor("openai/gpt-6-sol")).not.toContain("cache_control");
});
