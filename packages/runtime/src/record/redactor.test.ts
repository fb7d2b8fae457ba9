import { createScriptedModel } from "@retinue/model/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Redactor } from "./redactor.ts";
import { redactDeep } from "./redactor.ts";
import { runTest } from "../testing/test-run.ts";
import { defineTool } from "../loop/tool.ts";

const SECRET = "canary-1234";

/** Holds back everything that comes in pieces, which is the most that a stream may do. */
const redactor: Redactor = {
  text: (text) => text.replaceAll(SECRET, "***"),
  stream: () => {
    let held = "";
    return {
      push: (chunk) => {
        held += chunk;
        return "";
      },
      end: () => held.replaceAll(SECRET, "***"),
    };
  },
};

test("data without a secret is the very same data", () => {
  const value = { a: ["b", { c: 1, d: null }], e: true };
  expect(redactDeep(value, redactor.text)).toBe(value);
  expect(redactDeep({ ...value, [SECRET]: [value, `x${SECRET}`] }, redactor.text)).toEqual({ ...value, "***": [value, "x***"] });
});

test("no event, no request to a model, no artifact and no hook holds a secret, whoever says it", async () => {
  const leak = defineTool({
    name: "leak",
    description: "Says too much.",
    input: z.object({ how: z.string(), with: z.string().optional() }),
    effect: "read",
    execute: ({ how }, { progress }) => {
      progress(SECRET.slice(0, 5));
      progress(SECRET.slice(5));
      if (how === "throw") throw new Error(`the key is ${SECRET}`);
      return how === "long" ? `${SECRET} `.repeat(5_000) : `key=${SECRET}`;
    },
  });
  const seen: unknown[] = [];
  const model = createScriptedModel([
    {
      text: `I know ${SECRET}.`,
      toolCalls: [
        { tool: "leak", input: { how: "tell", with: SECRET } },
        { tool: "leak", input: { how: "throw" } },
        { tool: "leak", input: { how: "long" } },
        { tool: `no-${SECRET}`, input: {} },
      ],
    },
    { expect: (request) => void seen.push(request), text: `It is ${SECRET}` },
  ]);
  const run = await runTest({
    models: [model],
    tools: [leak],
    redactor,
    hooks: {
      before: async (call) => void seen.push(call),
      after: async (call, answer) => {
        seen.push(call, answer);
        return { context: `hooked ${SECRET}` };
      },
    },
  });
  expect(run.result).toMatchObject({ status: "completed", details: "It is ***" });
  const settled = run.log.flatMap((event) => (event.type === "tool.settled" ? [event.content[0]] : []));
  expect(settled).toEqual(expect.arrayContaining([{ type: "text", text: "key=***" }]));
  expect(seen.length).toBeGreaterThan(6);
  const streamed = run.events.flatMap((event) => (event.type === "tool.progress" ? [event.text] : []));
  expect(streamed).toContain("***");
  expect(JSON.stringify([run.result, run.events, run.log, [...run.artifacts], seen])).not.toContain(SECRET);
});
