import { afterEach, describe, expect, it } from "vitest";
import { startMockServer } from "./mock-server.ts";
import type { MockServer, MockServerOptions } from "./mock-server.ts";

let server: MockServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const start = async (options: MockServerOptions): Promise<MockServer> => (server = await startMockServer(options));

const post = (mock: MockServer, path: string, body: unknown): Promise<Response> =>
  fetch(`${mock.baseUrl}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

const OPENAI = { model: "m", stream: true, messages: [{ role: "user", content: "hi" }] };
const ANTHROPIC = { ...OPENAI, max_tokens: 10 };

describe("the mock server", () => {
  it("answers by script, in order, and refuses what the script does not hold", async () => {
    const mock = await start({ replies: [{ text: "one" }, { text: "two" }] });
    expect(await (await post(mock, "/chat/completions", OPENAI)).text()).toMatch(
      /"one"[^]*"finish_reason":"stop"[^]*data: \[DONE\]\n\n$/,
    );
    expect(await (await post(mock, "/messages", ANTHROPIC)).text()).toMatch(/"two"[^]*event: message_stop\n[^]*\n\n$/);
    const refused = await post(mock, "/chat/completions", OPENAI);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("no reply 2");
  });

  it("records what it was asked, and knows what is in flight", async () => {
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const mock = await start({ reply: (_, index) => held.then(() => ({ text: `answer ${index}` })) });
    const answers = [post(mock, "/chat/completions", OPENAI), post(mock, "/messages", ANTHROPIC)];
    await mock.received(2);
    expect(mock.inFlight()).toBe(2);
    expect(mock.requests.map(({ inFlight }) => inFlight)).toEqual([1, 2]);
    release?.();
    for (const answer of answers) expect(await (await answer).text()).toContain("answer");
    expect(await Promise.all(mock.requests.map(({ closed }) => closed))).toEqual(["sent", "sent"]);
    expect(mock.inFlight()).toBe(0);
    expect(mock.requests.find(({ protocol }) => protocol === "anthropic")?.body).toEqual(ANTHROPIC);
  });

  it("tells its models", async () => {
    const mock = await start({ replies: [], models: ["a", "b"] });
    const body: unknown = await (await fetch(`${mock.baseUrl}/models`)).json();
    expect(body).toMatchObject({ data: [{ id: "a" }, { id: "b" }] });
    expect((await fetch(`${mock.origin}/elsewhere`)).status).toBe(404);
  });

  it("ends what it left hanging when it is closed", async () => {
    const mock = await start({ reply: () => ({ fault: { type: "stall-before-headers" } }) });
    const answer = post(mock, "/chat/completions", OPENAI);
    const failed = expect(answer).rejects.toThrow();
    await mock.received(1);
    await mock.close();
    await failed;
  });

  const call = (id: string, input: unknown) => ({ id, type: "function", function: { name: "t", arguments: input } });
  const use = (id: string) => ({ type: "tool_use", id, name: "t", input: {} });
  const result = (id: string) => ({ type: "tool_result", tool_use_id: id });

  it.each([
    ["/chat/completions", "not json"],
    ["/chat/completions", { ...OPENAI, stream: false }],
    ["/chat/completions", { ...OPENAI, messages: [] }],
    ["/chat/completions", { ...OPENAI, tool_choice: "none" }],
    ["/chat/completions", { ...OPENAI, messages: [{ role: "tool", tool_call_id: "x", content: "" }] }],
    ["/chat/completions", { ...OPENAI, messages: [{ role: "assistant", content: null, tool_calls: [call("x", "{}")] }] }],
    [
      "/chat/completions",
      {
        ...OPENAI,
        messages: [
          { role: "assistant", content: null, tool_calls: [call("x", "{")] },
          { role: "tool", tool_call_id: "x", content: "" },
        ],
      },
    ],
    ["/messages", OPENAI],
    ["/messages", { ...ANTHROPIC, messages: [{ role: "assistant", content: "x" }] }],
    ["/messages", { ...ANTHROPIC, messages: [{ role: "user", content: " " }] }],
    [
      "/messages",
      {
        ...ANTHROPIC,
        messages: [
          { role: "user", content: "a" },
          { role: "user", content: "b" },
        ],
      },
    ],
    [
      "/messages",
      {
        ...ANTHROPIC,
        messages: [
          { role: "user", content: "a" },
          { role: "assistant", content: [use("x")] },
        ],
      },
    ],
    ["/messages", { ...ANTHROPIC, messages: [{ role: "user", content: [result("x")] }] }],
    [
      "/messages",
      {
        ...ANTHROPIC,
        messages: [
          { role: "user", content: "a" },
          { role: "assistant", content: [{ type: "thinking", thinking: "x" }] },
        ],
      },
    ],
  ])("refuses at %s what the provider would refuse: %j", async (path, body) => {
    const mock = await start({ reply: () => ({ text: "never" }) });
    const answer = await post(mock, path, body);
    expect(answer.status).toBe(400);
    expect(await answer.text()).not.toContain("never");
  });
});
