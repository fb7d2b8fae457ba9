import { describe, expect, it } from "vitest";
import { createEndpoint } from "./endpoint.ts";
import { toHttpFailure, toInStreamFailure } from "./provider-error.ts";

const KEY = "sk-live-0123456789abcdef";
const endpoint = createEndpoint({
  provider: "acme",
  url: "https://user:pass-word-1@llm.acme.test:8443/v1/chat/completions?sig=very-secret-query",
  headers: { authorization: `Bearer ${KEY}`, "x-tenant": "blue" },
});

const http = (status: number, body = "", retryAfterMs?: number) => toHttpFailure(endpoint, { status, body, retryAfterMs });

describe("a status", () => {
  it.each([
    [400, "model_bad_request", "no"],
    [401, "model_auth", "no"],
    [402, "model_rate_limited", "no"],
    [403, "model_auth", "no"],
    [404, "model_not_found", "no"],
    [408, "model_overloaded", "yes"],
    [413, "model_bad_request", "no"],
    [418, "model_bad_request", "no"],
    [422, "model_bad_request", "no"],
    [429, "model_rate_limited", "yes"],
    [500, "model_server_error", "yes"],
    [502, "model_overloaded", "yes"],
    [503, "model_overloaded", "yes"],
    [504, "model_overloaded", "yes"],
    [522, "model_overloaded", "yes"],
    [529, "model_overloaded", "yes"],
    [302, "model_misaddressed", "no"],
  ] as const)("%i is %s, retried: %s", (status, code, retry) => {
    const failure = http(status);
    expect(failure.error.code).toBe(code);
    expect(failure.retry).toBe(retry);
    expect(failure.refusal).toBe(status === 429 || status === 529);
    expect(failure.error.message).toContain("acme (llm.acme.test:8443) answered");
    expect(failure.error.message).toContain(String(status));
  });

  it.each([
    ['{"error":{"message":"This model\'s maximum context length is 8192 tokens","code":"context_length_exceeded"}}', 400],
    [
      '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}',
      400,
    ],
    [
      '{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}',
      400,
    ],
    ['{"error":{"message":"The input token count (40000) exceeds the maximum"}}', 400],
    ['{"message":"Please reduce the length of the messages"}', 413],
    ['{"error":"context window exceeded"}', 500],
    [
      '{"error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 197202 + 21333 > 200000"}}',
      400,
    ],
    ['{"error":{"message":"This model\'s maximum prompt length is 131072 but the request contains 537812 tokens."}}', 400],
    ['{"error":{"message":"`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens"}}', 422],
    ['{"error":{"message":"Invalid request: Your request exceeded model token limit: 8192"}}', 400],
    ['{"error":{"code":"1261","message":"Prompt exceeds max length"}}', 400],
    [
      '{"error":{"code":"tokens_limit_reached","message":"Request body too large for gpt-4o model. Max size: 8000 tokens."}}',
      413,
    ],
    ['{"message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length"}', 400],
    [
      '{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\\"message\\":\\"prompt is too long\\"}"}}}',
      400,
    ],
  ])("%s is a context overflow", (body, status) => {
    expect(http(status, body)).toMatchObject({ retry: "no", error: { code: "model_context_overflow" } });
  });

  it("shows what the provider behind a router said, and the setting to change", () => {
    const raw = JSON.stringify({ type: "error", error: { message: "`temperature` is deprecated for this model." } });
    const body = { error: { message: "Provider returned error", code: 400, metadata: { raw, provider_name: "Anthropic" } } };
    expect(http(400, JSON.stringify(body)).error).toMatchObject({
      code: "model_bad_request",
      message: expect.stringContaining(
        "Provider returned error (Anthropic: `temperature` is deprecated for this model.)",
      ) as string,
      hint: expect.stringContaining("temperature") as string,
    });
    expect(http(401).error.hint).toContain("providers.acme.apiKeyEnv");
  });

  it.each([
    '{"error":{"message":"registry.ollama.ai/library/gemma3:4b does not support tools"}}',
    '{"error":{"code":500,"message":"Unable to generate parser for this template."}}',
    '{"error":{"code":500,"message":"image input is not supported - hint: you may need to provide the mmproj"}}',
  ])("of 500 that no retry can mend is asked once: %s", (body) => {
    expect(http(500, body)).toMatchObject({ retry: "no", error: { code: "model_bad_request" } });
  });

  it("of a content filter is filtered", () => {
    const failure = http(400, '{"error":{"message":"triggered our content management policy","code":"content_filter"}}');
    expect(failure).toMatchObject({ retry: "no", error: { code: "model_filtered" } });
  });

  it("of a missing credit is not retried and closes no gate", () => {
    const failure = http(429, '{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}');
    expect(failure).toMatchObject({ retry: "no", refusal: false, error: { code: "model_rate_limited" } });
    expect(failure.error.hint).toContain("credit");
  });

  it.each([
    ['{"error":{"message":"said so"}}'],
    ['{"error":"said so"}'],
    ['{"message":"said so"}'],
    ['{"detail":"said so"}'],
    ['[{"error":{"message":"said so"}}]'],
    ["said so"],
  ])("quotes the provider out of %s", (body) => {
    expect(http(400, body).error.message).toBe("acme (llm.acme.test:8443) answered 400: said so");
  });

  it("never shows a secret, whatever the body echoes", () => {
    const bodies = [
      `invalid key ${KEY}`,
      JSON.stringify({ error: { message: `Authorization: Bearer ${KEY}` } }),
      JSON.stringify({ error: { message: "bad", headers: { authorization: `Bearer ${KEY}` } } }),
      JSON.stringify({ headers: { Authorization: `Bearer ${KEY}` } }),
      `url https://user:pass-word-1@llm.acme.test/?sig=very-secret-query`,
      `${"x".repeat(290)} ${KEY}`,
    ];
    for (const body of bodies)
      for (const failure of [
        http(401, body),
        toInStreamFailure(endpoint, body),
        toInStreamFailure(endpoint, JSON.parse(JSON.stringify({ error: { type: KEY, message: body } }))),
      ])
        expect(`${failure.error.message} ${failure.error.hint} ${failure.error.stack}`).not.toMatch(
          /0123456789|sk-live|pass-word|very-secret/,
        );
  });

  it("keeps what the server asked for", () => {
    expect(http(429, "", 1234).retryAfterMs).toBe(1234);
  });
});

describe("an error inside a stream", () => {
  it.each([
    [{ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "model_overloaded", "yes", true],
    [{ type: "error", error: { type: "api_error", message: "oops" } }, "model_server_error", "yes", false],
    [{ type: "error", error: { type: "rate_limit_error", message: "slow down" } }, "model_rate_limited", "yes", true],
    [{ type: "error", error: { type: "authentication_error", message: "no" } }, "model_auth", "no", false],
    [{ type: "error", error: { type: "not_found_error", message: "no" } }, "model_not_found", "no", false],
    [{ type: "error", error: { type: "invalid_request_error", message: "no" } }, "model_bad_request", "no", false],
    [
      { type: "error", error: { type: "invalid_request_error", message: "prompt is too long" } },
      "model_context_overflow",
      "no",
      false,
    ],
    [{ error: { code: 502, message: "upstream" } }, "model_overloaded", "yes", false],
    [{ error: { code: 429, message: "upstream" } }, "model_rate_limited", "yes", true],
    [{ error: { message: "something" } }, "model_server_error", "yes", false],
    [{ error: "something" }, "model_server_error", "yes", false],
  ] as const)("%j is %s", (event, code, retry, refusal) => {
    const failure = toInStreamFailure(endpoint, event);
    expect(failure.error.code).toBe(code);
    expect(failure).toMatchObject({ retry, refusal });
  });
});
