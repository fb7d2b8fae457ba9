import { createScriptedModel } from "@retinue/model/testing";
import type { ModelRequest } from "@retinue/model/contract";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { runTest, toRecordedLines } from "../testing/index.ts";
import { defineTool } from "../loop/tool.ts";

const look = defineTool({
  name: "look",
  description: "Reads.",
  input: z.object({ n: z.int() }),
  effect: "read",
  execute: ({ n }) => `saw ${n}`,
});

const put = (effects: string[]) =>
  defineTool({
    name: "put",
    description: "Writes.",
    input: z.object({ path: z.string() }),
    effect: "write",
    touches: ({ path }) => ({ paths: [path] }),
    execute: ({ path }) => {
      effects.push(path);
      return { content: [{ type: "text", text: "put" }], files: { created: [path], modified: [] } };
    },
  });

/** The golden run: parallel reads, a bad call, a write, a limit on the context, a final answer. */
const golden = (request: ModelRequest, answered: number) => {
  if (request.tools.length === 0) return { text: "Notes.", usage: { input: 20, output: 2 } };
  const usage = { input: 100 + 10 * answered, output: 10 };
  switch (answered) {
    case 0:
      return { text: "Looking.", toolCalls: [1, 2, 3].map((n) => ({ tool: "look", input: { n }, callId: `a${n}` })), usage };
    case 1:
      return {
        toolCalls: [
          { tool: "nope", input: {}, callId: "b1" },
          { tool: "look", input: { n: 9 }, callId: "b2" },
        ],
        usage,
      };
    case 2:
      return { toolCalls: [{ tool: "put", input: { path: "out.txt" }, callId: "c1" }], usage };
    case 3:
      return { toolCalls: [{ tool: "look", input: { n: 4 }, callId: "d1" }], usage };
    default:
      return { text: "All done.", usage };
  }
};

describe("a log that was cut after any event can be gone on with", () => {
  test("the golden run gives the same result from every cut, and finished calls are not made again", async () => {
    const effects: string[] = [];
    const whole = await runTest({ models: [createScriptedModel(golden)], tools: [look, put(effects)] });
    expect(whole.result).toMatchObject({
      status: "completed",
      details: "All done.",
      iterations: 5,
      toolCalls: 6,
      filesCreated: ["out.txt"],
    });
    expect(effects).toEqual(["out.txt"]);

    for (let cut = 1; cut < whole.log.length; cut += 1) {
      const kept = whole.log.slice(0, cut);
      const again: string[] = [];
      const model = createScriptedModel(golden);
      const { result, log } = await runTest({ models: [model], tools: [look, put(again)], log: kept });
      const writeUnderWay =
        kept.some((event) => event.type === "tool.started" && event.callId === "c1") &&
        !kept.some((event) => event.type === "tool.settled" && event.callId === "c1");
      // The one thing that cannot be known is whether a write that was under way took effect.
      expect(result, `cut after event ${cut}`).toEqual(writeUnderWay ? { ...whole.result, filesCreated: [] } : whole.result);
      const writtenBefore = kept.some((event) => event.type === "tool.started" && event.callId === "c1");
      expect(again, `cut after event ${cut}`).toEqual(writtenBefore ? [] : ["out.txt"]);
      if (writeUnderWay) expect(toRecordedLines(log)).toContain("tool.settled c1 put unknown tool_outcome_unknown");
      const answeredBefore = kept.filter((event) => event.type === "model.answered").length;
      expect(model.requests.length, `cut after event ${cut}`).toBe(5 - answeredBefore);
      // Every call has exactly one result.
      const settled = log.flatMap((event) => (event.type === "tool.settled" ? [event.callId] : []));
      expect(settled.toSorted()).toEqual(["a1", "a2", "a3", "b1", "b2", "c1", "d1"]);
    }
  });

  test("a run that reached a limit still hands in after a cut", async () => {
    const script = (request: ModelRequest, answered: number) =>
      request.toolChoice === "none"
        ? { text: "Handed in." }
        : { toolCalls: [{ tool: "look", input: { n: answered }, callId: `c${answered}` }] };
    const spec = { limits: { iterations: 2, toolCalls: 5 } };
    const whole = await runTest({ models: [createScriptedModel(script)], tools: [look], spec });
    expect(whole.result).toMatchObject({ status: "partial", bailoutReason: "max_iterations" });
    for (let cut = 1; cut < whole.log.length; cut += 1) {
      const { result } = await runTest({ models: [createScriptedModel(script)], tools: [look], log: whole.log.slice(0, cut) });
      expect(result, `cut after event ${cut}`).toEqual(whole.result);
    }
  });

  test("a fallback that had taken over goes on", async () => {
    const models = () => [
      createScriptedModel([{ error: "model_auth" }], { id: "one/a" }),
      createScriptedModel(
        (_: ModelRequest, answered: number) =>
          answered === 0 ? { toolCalls: [{ tool: "look", input: { n: 1 }, callId: "c1" }] } : { text: "Done." },
        { id: "two/b" },
      ),
    ];
    const whole = await runTest({ models: models(), tools: [look] });
    const failed = whole.log.findIndex((event) => event.type === "model.failed");
    for (let cut = failed + 1; cut < whole.log.length; cut += 1) {
      const [first, second] = models();
      if (!first || !second) throw new Error("two models");
      const { result } = await runTest({ models: [first, second], tools: [look], log: whole.log.slice(0, cut) });
      expect(result).toEqual(whole.result);
      expect(first.requests).toEqual([]);
    }
  });
});
