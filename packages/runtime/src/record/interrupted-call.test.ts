import { createScriptedModel } from "@retinue/model/testing";
import type { ModelRequest } from "@retinue/model/contract";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { runTest, toRecordedLines } from "../testing/index.ts";
import { defineTool } from "../loop/tool.ts";

const effects: string[] = [];

const tool = (name: string, effect: "read" | "execute") =>
  defineTool({
    name,
    description: "A tool.",
    input: z.object({}),
    effect,
    execute: () => {
      effects.push(name);
      return "done";
    },
  });

const TOOLS = [tool("act", "execute"), tool("look", "read")];

const script = ({ toolChoice }: ModelRequest) =>
  toolChoice === "none"
    ? { text: "Handed in." }
    : {
        toolCalls: [
          { tool: "act", input: {}, callId: "c1" },
          { tool: "look", input: {}, callId: "c2" },
        ],
      };

/** The record of a process that ended while `act` was at work. */
const interrupted = async (limits: { readonly toolCalls: number }) => {
  const model = createScriptedModel(script);
  const { log } = await runTest({ models: [model], tools: TOOLS, spec: { limits, treeLimits: limits } });
  effects.length = 0;
  return log.slice(0, 1 + log.findIndex(({ type }) => type === "tool.started"));
};

describe("a call that was under way when its process ended", () => {
  test("counts to the limits of the run and of the tree, also for the calls beside it", async () => {
    const log = await interrupted({ toolCalls: 1 });
    const { result, log: whole } = await runTest({ models: [createScriptedModel(script)], tools: TOOLS, log });
    expect(toRecordedLines(whole.slice(log.length))).toEqual([
      "run.started resumed",
      "tool.settled c1 act unknown tool_outcome_unknown",
      "limit.reached toolCalls 1/1",
      "tool.settled c2 look error tool_not_run",
      "model.requested 2 scripted/model hand-in",
      "model.answered 2 scripted/model stop",
      "run.settled partial max_tool_calls",
    ]);
    expect(result.toolCalls).toBe(1);
    expect(effects).toEqual([]);
  });

  test("is unknown also where the run is cancelled as soon as it is resumed", async () => {
    const log = await interrupted({ toolCalls: 9 });
    const signal = AbortSignal.abort();
    const { log: whole } = await runTest({ models: [createScriptedModel(script)], tools: TOOLS, log, signal });
    expect(toRecordedLines(whole.slice(log.length))).toEqual([
      "run.started resumed",
      "tool.settled c1 act unknown tool_outcome_unknown",
      "tool.settled c2 look cancelled cancelled",
      "run.settled cancelled cancelled",
    ]);
  });
});
