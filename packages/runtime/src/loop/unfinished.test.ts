import type { ScriptedTurn } from "@retinue/model/testing";
import { createScriptedModel } from "@retinue/model/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { runTest } from "../testing/index.ts";
import { defineTool } from "./tool.ts";

const toolNamed = (name: string) =>
  defineTool({ name, description: "Says.", input: z.object({ text: z.string() }), effect: "read", execute: ({ text }) => text });

const TOOLS = [toolNamed("echo"), toolNamed("ask_user")];
const CALL: ScriptedTurn = { toolCalls: [{ tool: "echo", input: { text: "a" } }] };

const run = async (turns: readonly ScriptedTurn[], tools = TOOLS) => {
  const model = createScriptedModel(turns);
  const { result } = await runTest({ models: [model], tools });
  model.assertDone();
  return { result, model };
};

const lastSaid = (model: { readonly requests: readonly { readonly messages: readonly unknown[] }[] }, at: number): string =>
  JSON.stringify(model.requests[at]?.messages.at(-1));

describe("an answer that is none yet", () => {
  test.each([
    ["a promise", "I'll look at the code and change it next."],
    ["an announcement", "Now I understand. First I will open the file:"],
    ["a greeting", "Sure! I can help you with that."],
    ["a question in prose", "Should I go ahead?"],
  ])("%s is told so once, and the run goes on", async (_what, text) => {
    const { result, model } = await run([{ text }, CALL, { text: "It is done." }]);
    expect(lastSaid(model, 1)).toContain("[retinue]");
    expect(result).toMatchObject({ status: "completed", details: "It is done.", iterations: 3 });
  });

  test("a question is offered as ask_user where there is that tool, and a main agent without it may ask in prose", async () => {
    const { model } = await run([{ text: "Which one?" }, { text: "The first one, I assume." }]);
    expect(lastSaid(model, 1)).toContain("ask_user");
    expect((await run([{ text: "Which one?" }], [toolNamed("echo")])).result.details).toBe("Which one?");
  });

  test("the second promise of a run is its answer", async () => {
    const { result } = await run([{ text: "I'll do it next." }, { text: "I will do it soon." }]);
    expect(result).toMatchObject({ status: "completed", details: "I will do it soon." });
  });

  test.each([
    "It is done. Let me know if you need anything else.",
    "Now I know.",
    "4",
    "I fixed it, so that it will not happen again.",
    "OK",
    "The file says: I'll be back.\nThat is all there is.",
  ])("%j is an answer", async (text) => {
    expect((await run([{ text }])).result).toMatchObject({ status: "completed", details: text });
  });
});

describe("an answer that is cut off at the output limit", () => {
  test("goes on, and both parts are the answer, without a warning", async () => {
    const { result } = await run([{ text: "The first half, ", finishReason: "length" }, { text: "and the second." }]);
    expect(result).toMatchObject({ status: "completed", details: "The first half, and the second.", warnings: [] });
  });

  test("goes on three times, and then says that it was cut", async () => {
    const { result } = await run(Array.from({ length: 4 }, (_, at) => ({ text: `${at} `, finishReason: "length" as const })));
    expect(result).toMatchObject({ details: "0 1 2 3 ", warnings: ["The answer was cut off at the model's output limit."] });
  });

  test("a call that is cut off is answered with how to make it smaller", async () => {
    const { model } = await run([
      { toolCalls: [{ tool: "echo", arguments: '{"text": "a' }], finishReason: "length" },
      { text: "I stop here." },
    ]);
    expect(lastSaid(model, 1)).toContain("Make the call smaller");
  });
});

test("two empty answers end a run only where they come one after the other", async () => {
  const { result } = await run([{}, CALL, {}, { text: "Done." }]);
  expect(result).toMatchObject({ status: "completed", details: "Done." });
  expect((await run([CALL, {}, {}])).result).toMatchObject({ status: "failed", error: { code: "model_empty_answer" } });
});
