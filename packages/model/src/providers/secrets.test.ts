import { expect, test } from "vitest";
import { secretsOf } from "./secrets.ts";

test("keys of built-in and of configured providers are secrets, whether used or not", () => {
  const secrets = secretsOf(
    { work: { type: "openai-compatible", baseUrl: "http://x.test", apiKeyEnv: "WORK_KEY" } },
    { OPENAI_API_KEY: "sk-openai", GEMINI_API_KEY: "gm-google", WORK_KEY: "wk-work", HOME: "/home/somebody" },
  );
  expect(secrets).toEqual(expect.arrayContaining(["sk-openai", "gm-google", "wk-work"]));
  expect(secrets).not.toContain("/home/somebody");
});

test("header values are secrets, with and without their scheme, and as they are spelled in URLs and JSON", () => {
  const secrets = secretsOf({ x: { type: "vllm", headers: { authorization: 'Bearer a+b/c"d=', "x-key": "plain-value" } } }, {});
  expect(secrets).toEqual(
    expect.arrayContaining(['Bearer a+b/c"d=', 'a+b/c"d=', "a%2Bb%2Fc%22d%3D", 'a+b/c\\"d=', "plain-value"]),
  );
});

test("credentials inside addresses are secrets", () => {
  const secrets = secretsOf(
    { x: { type: "vllm", baseUrl: "http://me:pass-word@x.test/v1?key=query-key" } },
    { OLLAMA_HOST: "http://me:other-word@x.test" },
  );
  expect(secrets).toEqual(expect.arrayContaining(["pass-word", "query-key", "other-word"]));
});

test("what is too short to be a secret is none, and the longest come first", () => {
  const secrets = secretsOf({ x: { type: "vllm", headers: { a: "true", b: "long-value", c: "a-longer-value" } } }, {});
  expect(secrets).toEqual(["a-longer-value", "long-value"]);
});
