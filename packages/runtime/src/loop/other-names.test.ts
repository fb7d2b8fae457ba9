import { createScriptedModel } from "@retinue/model/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { runTest, toRecordedLines } from "../testing/index.ts";
import { defineTool } from "./tool.ts";

const toolNamed = (name: string) =>
  defineTool({ name, description: "Says.", input: z.object({ text: z.string() }), effect: "read", execute: ({ text }) => text });

describe("a tool that is called by a name of another world", () => {
  for (const [called, tool] of [
    ["Read", "read"],
    ["read_file", "read"],
    ["Bash", "shell"],
    ["search", "grep"],
    ["CodeSearch", "code-search"],
    ["Echo", "echo"],
  ] as const)
    test(`${called} is ${tool}`, async () => {
      const model = createScriptedModel([
        { toolCalls: [{ tool: called, input: { text: "a" }, callId: "c1" }] },
        { text: "Done." },
      ]);
      const { events } = await runTest({ models: [model], tools: [toolNamed(tool), toolNamed("other")] });
      expect(toRecordedLines(events).filter((line) => line.startsWith("tool"))).toEqual([
        `tool.started c1 ${tool}`,
        `tool.settled c1 ${called} ok`,
      ]);
    });

  test("is not one that the run does not have", async () => {
    const model = createScriptedModel([{ toolCalls: [{ tool: "Bash", input: { text: "a" }, callId: "c1" }] }, { text: "Done." }]);
    const { events } = await runTest({ models: [model], tools: [toolNamed("read")] });
    expect(toRecordedLines(events).filter((line) => line.startsWith("tool"))).toEqual([
      "tool.settled c1 Bash error tool_unknown",
    ]);
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("The tools of this run are: read.");
  });
});
