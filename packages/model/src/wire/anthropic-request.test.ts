import type { Message } from "@retinue/protocol";
import { describe, expect, it } from "vitest";
import type { ModelRequest, ToolDeclaration } from "../contract.ts";
import { checkAnthropicRequest } from "../testing/mock-server-check.ts";
import { createAnthropicBody } from "./anthropic-request.ts";

const TOOLS: ToolDeclaration[] = [{ name: "look", description: "looks", inputSchema: { type: "object", properties: {} } }];
const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const MARK = { cache_control: { type: "ephemeral" } };

const toBody = createAnthropicBody({ model: "m-1" });
const bodyOf = (request: Partial<ModelRequest>) => {
  const body: unknown = JSON.parse(toBody({ system: "", messages: [user("hi")], tools: [], toolChoice: "auto", ...request }));
  expect(checkAnthropicRequest(body as never, { "anthropic-version": "x" })).toBeUndefined();
  return body;
};

describe("a request to Messages", () => {
  it("streams, has a limit, and marks the system prompt, the last message and the last one of the request before for the cache", () => {
    expect(
      bodyOf({
        system: "be brief",
        messages: [user("a"), { role: "assistant", content: [{ type: "text", text: "b" }] }, user("c")],
      }),
    ).toEqual({
      model: "m-1",
      stream: true,
      max_tokens: 8192,
      system: [{ type: "text", text: "be brief", ...MARK }],
      messages: [
        { role: "user", content: [{ type: "text", text: "a", ...MARK }] },
        { role: "assistant", content: [{ type: "text", text: "b" }] },
        { role: "user", content: [{ type: "text", text: "c", ...MARK }] },
      ],
    });
  });

  it("moves the mark on with the conversation, past what is cached", () => {
    const [first, answer] = [user("a"), { role: "assistant", content: [{ type: "text", text: "b" }] } as const];
    bodyOf({ messages: [first] });
    const text = toBody({ system: "", messages: [first, answer, user("c")], tools: [], toolChoice: "auto" });
    expect(text.match(/cache_control/g)).toHaveLength(2);
    expect(text.lastIndexOf("cache_control")).toBeGreaterThan(text.indexOf('"c"'));
  });

  it("has four marks at most, and one where the request before ended, however many calls lie between", () => {
    const ids = Array.from({ length: 30 }, (_, index) => `call_${index}`);
    const calls = ids.map((callId) => ({ type: "tool-call", callId, tool: "look", arguments: "{}" }) as const);
    const results = ids.map((callId): Message => ({
      role: "tool",
      callId,
      tool: "look",
      isError: false,
      content: [{ type: "text", text: callId }],
    }));
    const text = toBody({
      system: "shared, own",
      sharedChars: 6,
      messages: [user("first"), { role: "assistant", content: calls }, ...results],
      tools: TOOLS,
      toolChoice: "auto",
    });
    expect(text.match(/cache_control/g)).toHaveLength(4);
    expect(JSON.parse(text)).toMatchObject({
      tools: [MARK],
      system: [{ text: "shared", ...MARK }, { text: ", own" }],
      messages: [{ content: [{ text: "first", ...MARK }] }, {}, { content: [...Array.from({ length: 29 }, () => ({})), MARK] }],
    });
  });

  it("carries tools, the ban on them, temperature and the limit on output", () => {
    expect(bodyOf({ tools: TOOLS, toolChoice: "none", temperature: 0.5, maxOutputTokens: 5 })).toMatchObject({
      tools: [{ name: "look", description: "looks", input_schema: { type: "object" } }],
      tool_choice: { type: "none" },
      temperature: 0.5,
      max_tokens: 5,
    });
  });

  it("groups the results of a turn, with their images and errors, and what the user says after them", () => {
    const messages: Message[] = [
      user("go"),
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "hm", opaque: { type: "anthropic", signature: "sig" } },
          { type: "reasoning", text: "", opaque: { type: "anthropic", redacted: "xyz" } },
          { type: "reasoning", text: "of another provider", opaque: { provider: "acme", reasoningField: "reasoning" } },
          { type: "reasoning", text: "unsigned" },
          { type: "text", text: " " },
          { type: "tool-call", callId: "c1", tool: "look", arguments: '{"a":1}' },
          { type: "tool-call", callId: "c2", tool: "look", arguments: '{"path":"/et' },
        ],
      },
      {
        role: "tool",
        callId: "c1",
        tool: "look",
        content: [{ type: "image", mediaType: "image/png", data: "AAAA" }],
        isError: false,
      },
      { role: "tool", callId: "c2", tool: "look", content: [{ type: "text", text: "" }], isError: true },
      user("go on"),
    ];
    expect(bodyOf({ messages, tools: TOOLS })).toMatchObject({
      messages: [
        { role: "user" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm", signature: "sig" },
            { type: "redacted_thinking", data: "xyz" },
            { type: "tool_use", id: "c1", name: "look", input: { a: 1 } },
            { type: "tool_use", id: "c2", name: "look", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "c1",
              content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }],
            },
            { type: "tool_result", tool_use_id: "c2", is_error: true },
            { type: "text", text: "go on", ...MARK },
          ],
        },
      ],
    });
  });

  it("says so where a user message is empty, and leaves out an empty answer", () => {
    expect(bodyOf({ messages: [{ role: "user", content: [] }, { role: "assistant", content: [] }, user("x")] })).toMatchObject({
      messages: [{ role: "user", content: [{ text: "(empty)" }, { text: "x" }] }],
    });
  });
});
