/** The tools of a main agent, as they stand in its requests: every provider takes their schemas, and none of them leaves a shape to be guessed. */
import type { Json, JsonObject } from "@retinue/protocol";
import type { StrictProvider } from "@retinue/model/testing";
import { complaintOf } from "@retinue/model/testing";
import { afterEach, expect, test } from "vitest";
import { callRetinue } from "./testing/call-retinue.ts";
import type { MockProject } from "./testing/mock-project.ts";
import { createMockProject } from "./testing/mock-project.ts";

let mock: MockProject | undefined;
afterEach(async () => {
  await mock?.remove();
  mock = undefined;
});

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Where a schema says no more than that there is a list or an object. */
const shapelessIn = (schema: Json | undefined, at: string): string[] => {
  if (!isObject(schema)) return [];
  const { type, items, properties, additionalProperties } = schema;
  const isShapeless =
    (type === "array" && (!isObject(items) || Object.keys(items).length === 0)) ||
    (type === "object" && at.includes(".") && !isObject(properties) && !isObject(additionalProperties));
  return [
    ...(isShapeless ? [at] : []),
    ...shapelessIn(items, `${at}.items`),
    ...Object.entries(isObject(properties) ? properties : {}).flatMap(([name, one]) =>
      isObject(one) &&
      one["type"] === "object" &&
      Object.keys(isObject(one["properties"]) ? one["properties"] : {}).length === 0 &&
      !isObject(one["additionalProperties"])
        ? [`${at}.${name}`]
        : shapelessIn(one, `${at}.${name}`),
    ),
  ];
};

const toolsOf = async (): Promise<readonly JsonObject[]> => {
  const started = (mock = await createMockProject(() => ({ text: "done" })));
  await callRetinue(started.project, ["run", "hi"]);
  const body = started.server.requests[0]?.body;
  const tools = isObject(body) && Array.isArray(body["tools"]) ? body["tools"].filter(isObject) : [];
  return tools.map((tool) => (isObject(tool["function"]) ? tool["function"] : {}));
};

test("every provider takes the schemas of the built-in tools, and each list and object in them has a shape", async () => {
  const tools = await toolsOf();
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["edit", "execute_plan", "delegate_to_agent"]));
  const chat = {
    model: "m",
    stream: true,
    messages: [{ role: "user", content: "hi" }],
    tools: tools.map((tool) => ({ type: "function", function: tool })),
  };
  for (const provider of [
    "openai-compatible",
    "openai",
    "openrouter",
    "deepseek",
    "mistral",
    "groq",
    "ollama",
    "docker-model-runner",
  ] satisfies StrictProvider[])
    expect(complaintOf(provider, chat, {}), provider).toBeUndefined();
  const flat = tools.map((tool) => ({ type: "function", ...tool, strict: false }));
  expect(complaintOf("openai-responses", { model: "gpt-6-sol", input: "hi", stream: true, tools: flat }, {})).toBeUndefined();
  const declared = tools.map(({ name = "", description = "", parameters = {} }) => ({
    name,
    description,
    input_schema: parameters,
  }));
  const messages = {
    model: "claude-sonnet-5",
    max_tokens: 10,
    stream: true,
    messages: [{ role: "user", content: "hi" }],
    tools: declared,
  };
  expect(complaintOf("anthropic", messages, { "anthropic-version": "1" })).toBeUndefined();
  expect(tools.flatMap(({ name, parameters }) => shapelessIn(parameters, typeof name === "string" ? name : ""))).toEqual([]);
});
