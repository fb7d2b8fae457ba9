import type { Json } from "@retinue/protocol";
import { describe, expect, it } from "vitest";
import type { ModelAnswer, ModelChunk } from "../contract.ts";
import { createEndpoint } from "../transport/endpoint.ts";
import type { Failure } from "../transport/failure.ts";
import { createOpenAiReader } from "./openai-answer.ts";

const endpoint = createEndpoint({ provider: "acme", url: "http://acme.test/v1/chat/completions", headers: {} });

const delta = (fields: Json, finish: string | null = null): Json => ({
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
});

const read = (events: readonly Json[], rest = "") => {
  const reader = createOpenAiReader({
    endpoint,
    request: { system: "", messages: [], tools: [], toolChoice: "auto" },
    bodyChars: 400,
    price: () => null,
  });
  let failure: Failure | undefined;
  for (const event of events) failure ??= reader.onEvent("", event === "[DONE]" ? event : JSON.stringify(event));
  const chunks: ModelChunk[] = [];
  for (let chunk = reader.takeDelta(); chunk; chunk = reader.takeDelta()) chunks.push(chunk);
  const outcome: ModelAnswer | Failure = failure ?? reader.finish(rest);
  return { chunks, ended: reader.isEnded(), outcome };
};

const contentOf = (events: readonly Json[]) => {
  const { outcome } = read(events);
  if (outcome.type === "failure") throw outcome.error;
  return outcome.content;
};

describe("an answer of Chat Completions", () => {
  it("is whole with a finish reason, or with [DONE] from a server that never speaks of one", () => {
    expect(read([delta({ content: "x" }, "stop")]).outcome).toMatchObject({ type: "answer" });
    expect(read([delta({ content: "x" }, "stop"), "[DONE]"])).toMatchObject({ ended: true, outcome: { type: "answer" } });
    expect(read([delta({ content: "x" }), "[DONE]"]).outcome).toMatchObject({ error: { code: "model_stream_incomplete" } });
    const without = (fields: Json): Json => ({ choices: [{ delta: fields }] });
    expect(read([without({ content: "x" }), "[DONE]"]).outcome).toMatchObject({ type: "answer", finishReason: "stop" });
    const made = { index: 0, id: "c", function: { name: "look", arguments: "{}" } };
    expect(read([without({ tool_calls: [made] }), "[DONE]"]).outcome).toMatchObject({ finishReason: "tool-calls" });
    expect(read(["[DONE]"]).outcome).toMatchObject({ error: { code: "model_stream_incomplete" } });
    expect(read([delta({ content: "x" })]).outcome).toMatchObject({ error: { code: "model_stream_incomplete" } });
  });

  it("counts thoughts that a provider counts beside its answer", () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 35,
      completion_tokens_details: { reasoning_tokens: 20 },
    };
    expect(read([delta({ content: "x" }, "stop"), { choices: [], usage }]).outcome).toMatchObject({
      usage: { output: 25, reasoning: 20 },
    });
    expect(read([delta({ content: "x" }, "stop"), { choices: [], usage: { ...usage, total_tokens: 15 } }]).outcome).toMatchObject(
      {
        usage: { output: 5, reasoning: 20 },
      },
    );
  });

  it("makes a bad call of one that Groq refused", () => {
    const error = {
      message: "Failed to call a function.",
      code: "tool_use_failed",
      failed_generation: '<function=look{"path": "a"</function>',
    };
    expect(read([{ error }]).outcome).toMatchObject({
      finishReason: "tool-calls",
      content: [{ type: "tool-call", tool: "look", arguments: error.failed_generation }],
    });
  });

  it("takes arguments that a server sends parsed", () => {
    const made = { index: 0, id: "c1", function: { name: "look", arguments: { path: "a", deep: [1] } } };
    expect(contentOf([delta({ tool_calls: [made] }, "tool_calls")])).toEqual([
      { type: "tool-call", callId: "c1", tool: "look", arguments: '{"path":"a","deep":[1]}' },
    ]);
  });

  it("is incomplete when the stream ends inside an event, unless that is the end marker", () => {
    expect(read([delta({}, "stop")], 'data: {"usage"').outcome).toMatchObject({ error: { code: "model_stream_incomplete" } });
    expect(read([delta({}, "stop")], "data: [DONE]").outcome).toMatchObject({ type: "answer" });
  });

  it("makes one chunk of neighbours of a kind, in the order in which they came", () => {
    const { chunks } = read([
      delta({ reasoning_content: "a" }),
      delta({ reasoning_content: "b" }),
      delta({ content: "c" }),
      delta({ content: "d" }),
      delta({ tool_calls: [{ index: 0, id: "1", function: { name: "t", arguments: '{"a' } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: '":1}' } }] }),
      delta({ tool_calls: [{ index: 1, id: "2", function: { name: "u", arguments: "{}" } }] }),
    ]);
    expect(chunks).toEqual([
      { type: "reasoning", text: "ab" },
      { type: "text", text: "cd" },
      { type: "tool-input", tool: "t", text: '{"a":1}' },
      { type: "tool-input", tool: "u", text: "{}" },
    ]);
  });

  it("takes reasoning from either field and remembers which", () => {
    for (const field of ["reasoning_content", "reasoning"])
      expect(contentOf([delta({ [field]: "hm" }), delta({ content: "x" }, "stop")])).toEqual([
        { type: "reasoning", text: "hm", opaque: { provider: "acme", reasoningField: field } },
        { type: "text", text: "x" },
      ]);
    // Servers that send both send the same twice.
    expect(contentOf([delta({ reasoning_content: "hm", reasoning: "hm" }, "stop")])).toMatchObject([{ text: "hm" }]);
  });

  it("reads content that comes as parts", () => {
    expect(
      contentOf([
        delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] }),
        delta({ content: [{ type: "text", text: "x" }] }, "stop"),
      ]),
    ).toMatchObject([
      { type: "reasoning", text: "hm" },
      { type: "text", text: "x" },
    ]);
  });

  it("tells calls apart by index, or by id where the index is missing or always the same", () => {
    const expected = [
      { tool: "a", callId: "1", arguments: '{"x":1}' },
      { tool: "b", callId: "2", arguments: '{"y":2}' },
    ];
    for (const [first, second] of [
      [{ index: 0 }, { index: 1 }],
      [{ index: 0 }, { index: 0 }],
      [{}, {}],
    ] as const)
      expect(
        contentOf([
          delta({ tool_calls: [{ ...first, id: "1", function: { name: "a", arguments: '{"x"' } }] }),
          delta({ tool_calls: [{ ...first, function: { arguments: ":1}" } }] }),
          delta({ tool_calls: [{ ...second, id: "2", function: { name: "b", arguments: '{"y":2}' } }] }, "tool_calls"),
        ]),
      ).toMatchObject(expected);
  });

  it("joins interleaved calls by their index", () => {
    expect(
      contentOf([
        delta({
          tool_calls: [
            { index: 0, id: "1", function: { name: "a", arguments: "" } },
            { index: 1, id: "2", function: { name: "b" } },
          ],
        }),
        delta({
          tool_calls: [
            { index: 1, function: { arguments: "[" } },
            { index: 0, function: { arguments: "{" } },
          ],
        }),
        delta(
          {
            tool_calls: [
              { index: 0, function: { arguments: "}" } },
              { index: 1, function: { arguments: "]" } },
            ],
          },
          "tool_calls",
        ),
      ]),
    ).toMatchObject([
      { tool: "a", arguments: "{}" },
      { tool: "b", arguments: "[]" },
    ]);
  });

  it("puts every piece where it belongs, however the pieces of text and of several calls take turns", () => {
    const PIECES = ['{"', 'a":"', "plain", '\\"', "\n", "é🎉", "", "}", "\u0001", "\\"] as const;
    for (const numbering of ["by index", "by id", "not at all"] as const)
      for (let seed = 1; seed <= 60; seed += 1) {
        let state = seed * 0x9e3779b1;
        const pick = (below: number): number => ((state = (state * 1_664_525 + 1_013_904_223) >>> 0) >>> 8) % below;
        const calls = Array.from({ length: 3 }, (_, index) => ({ id: `c${index}`, tool: `t${index}`, given: "" }));
        let text = "";
        const events: Json[] = [];
        let begun = 0;
        for (let turn = 0; turn < 60; turn += 1) {
          const piece = PIECES[pick(PIECES.length)] ?? "";
          // Where calls have no numbers of their own, a piece without an id belongs to the latest.
          const at = numbering === "by index" ? pick(begun + 1) : pick(8) === 0 ? begun : Math.max(0, begun - 1);
          const call = calls[at];
          if (pick(6) === 0 || !call) {
            text += piece;
            events.push(delta({ content: piece }));
            continue;
          }
          const index = numbering === "by index" ? { index: at } : numbering === "by id" ? { index: 0 } : {};
          const isNew = at === begun;
          if (isNew) begun += 1;
          call.given += piece;
          const named = isNew
            ? { id: call.id, function: { name: call.tool, arguments: piece } }
            : { function: { arguments: piece } };
          events.push(delta({ tool_calls: [{ ...index, ...named }] }));
        }
        const expected = [
          ...(text === "" ? [] : [{ type: "text", text }]),
          ...calls.slice(0, begun).map(({ id, tool, given }) => ({
            type: "tool-call",
            callId: id,
            tool,
            arguments: given === "" ? "{}" : given,
          })),
        ];
        expect([numbering, seed, contentOf([...events, delta({}, "tool_calls")])]).toEqual([numbering, seed, expected]);
      }
  });

  it("keeps what a server wants back with a call", () => {
    const call = {
      index: 0,
      id: "1",
      function: { name: "a", arguments: "{}" },
      extra_content: { google: { thought_signature: "s" } },
    };
    expect(contentOf([delta({ tool_calls: [call] }, "tool_calls")])).toMatchObject([
      { opaque: { provider: "acme", extraContent: { google: { thought_signature: "s" } } } },
    ]);
  });

  it("does not take a call without a name for one", () => {
    expect(read([delta({ tool_calls: [{ index: 0, function: { arguments: "{}" } }] }, "tool_calls")]).outcome).toMatchObject({
      error: { code: "model_stream_garbage" },
    });
  });

  it.each([
    ["stop", false, "stop"],
    ["stop", true, "tool-calls"],
    ["tool_calls", true, "tool-calls"],
    ["tool_calls", false, "other"],
    ["function_call", true, "tool-calls"],
    ["length", true, "length"],
    ["content_filter", false, "filtered"],
    ["something", false, "other"],
  ])("that finished by %s (calls: %s) finished by %s", (reason, calls, expected) => {
    const fields = calls ? { tool_calls: [{ index: 0, id: "1", function: { name: "t", arguments: "{}" } }] } : { content: "x" };
    expect(read([delta(fields, reason)]).outcome).toMatchObject({ finishReason: expected });
  });

  it("that finished by an error is a failure", () => {
    expect(read([delta({}, "error")]).outcome).toMatchObject({ retry: "yes", error: { code: "model_server_error" } });
  });

  it.each([
    [
      { prompt_tokens: 10, completion_tokens: 5 },
      { input: 10, output: 5, cached: 0, reasoning: 0 },
    ],
    [
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 3 },
      },
      { input: 10, output: 5, cached: 4, reasoning: 3 },
    ],
    [
      { prompt_tokens: 10, completion_tokens: 5, prompt_cache_hit_tokens: 6 },
      { input: 10, output: 5, cached: 6, reasoning: 0 },
    ],
    [
      { prompt_tokens: "ten", completion_tokens: -5, prompt_tokens_details: null },
      { input: 0, output: 0, cached: 0, reasoning: 0 },
    ],
    [
      { prompt_tokens: 2 ** 53, completion_tokens: 1e18, completion_tokens_details: { reasoning_tokens: 1e300 } },
      { input: 0, output: 0, cached: 0, reasoning: 0 },
    ],
    [null, { input: 100, output: 1, cached: 0, reasoning: 0 }],
  ])("with usage %j counts %j", (usage, expected) => {
    expect(read([delta({ content: "four" }, "stop"), { choices: [], usage }]).outcome).toMatchObject({ usage: expected });
  });

  it("ignores what it does not know and other choices", () => {
    expect(
      contentOf([
        {},
        { object: "ping" },
        { choices: null },
        { choices: [null, { index: 1, delta: { content: "no" } }] },
        { choices: [{ index: 0, delta: null }] },
        delta({ content: null, tool_calls: null, role: "assistant" }),
        delta({ content: "yes", tool_calls: [null] }, "stop"),
      ]),
    ).toEqual([{ type: "text", text: "yes" }]);
  });
});
