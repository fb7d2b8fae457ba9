import { createScriptedModel } from "@retinue/model/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { runTest } from "../testing/index.ts";
import { defineTool } from "./tool.ts";

const echo = defineTool({
  name: "echo",
  description: "Says.",
  input: z.object({ text: z.string() }),
  effect: "read",
  execute: ({ text }) => text,
});

/** Changes a file each time, and says the same. */
const bump = defineTool({
  name: "bump",
  description: "Counts.",
  input: z.object({}),
  effect: "execute",
  execute: () => ({ content: [{ type: "text", text: "ok" }], files: { created: [], modified: ["count.txt"] } }),
});

const say = (text: string) => ({ toolCalls: [{ tool: "echo", input: { text } }] });
const BUMP = { toolCalls: [{ tool: "bump", input: {} }] };

const answers = (model: ReturnType<typeof createScriptedModel>): readonly string[] =>
  (model.requests.at(-1)?.messages ?? []).filter(({ role }) => role === "tool").map(({ content }) => JSON.stringify(content));

describe("an agent that repeats itself", () => {
  test("is warned at the second identical call, by its name, and goes on", async () => {
    const model = createScriptedModel([say("a"), say("a"), say("b"), { text: "Done." }]);
    const { result } = await runTest({ models: [model], tools: [echo] });
    expect(result.status).toBe("completed");
    const [first, second, third] = answers(model);
    expect(first).not.toContain("[retinue]");
    expect(second).toContain("[retinue] You made the same call before");
    expect(second).toContain("echo");
    expect(third).not.toContain("[retinue]");
  });

  test("hands in after the third, without tools, and the run is stuck", async () => {
    const model = createScriptedModel([say("a"), say("a"), say("a"), { text: "This is what I found." }]);
    const { result } = await runTest({ models: [model], tools: [echo] });
    model.assertDone();
    expect(model.requests[3]?.toolChoice).toBe("none");
    expect(result).toMatchObject({ status: "failed", bailoutReason: "stuck", details: "This is what I found." });
  });

  test("is not stuck while a command changes the workspace each time", async () => {
    const model = createScriptedModel([BUMP, BUMP, BUMP, BUMP, { text: "Done." }]);
    const { result } = await runTest({ models: [model], tools: [bump] });
    expect(result.status).toBe("completed");
    expect(answers(model).join("")).not.toContain("[retinue]");
  });

  test("is warned of two calls that come again in the next turn", async () => {
    const both = { toolCalls: [...say("a").toolCalls, ...say("b").toolCalls] };
    const model = createScriptedModel([both, both, { text: "Done." }]);
    await runTest({ models: [model], tools: [echo] });
    expect(answers(model).map((answer) => answer.includes("[retinue]"))).toEqual([false, false, true, true]);
  });
});

describe("a limit is announced one turn before it comes", () => {
  test("of turns", async () => {
    const model = createScriptedModel([say("a"), say("b"), { text: "Done." }]);
    await runTest({ models: [model], tools: [echo], spec: { limits: { iterations: 3 } } });
    const [first, second] = answers(model);
    expect(first).not.toContain("[retinue]");
    expect(second).toContain("[retinue] One turn is left");
  });

  test("of tool calls", async () => {
    const model = createScriptedModel([say("a"), say("b"), { text: "Done." }]);
    await runTest({ models: [model], tools: [echo], spec: { limits: { toolCalls: 3 } } });
    expect(answers(model)[1]).toContain("limit: 1.");
  });
});
