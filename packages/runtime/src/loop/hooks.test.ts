import { createScriptedModel } from "@retinue/model/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Hooks } from "./hooks.ts";
import { runTest, toRecordedLines } from "../testing/index.ts";
import { defineTool } from "./tool.ts";

const done: string[] = [];
const act = defineTool({
  name: "act",
  description: "Acts.",
  input: z.object({ what: z.string() }),
  effect: "execute",
  execute: ({ what }) => {
    done.push(what);
    return `did ${what}`;
  },
});

const runHooked = async (hooks: Hooks, more: Partial<Parameters<typeof runTest>[0]> = {}) => {
  done.length = 0;
  const model = createScriptedModel([{ toolCalls: [{ tool: "act", input: { what: "x" }, callId: "c1" }] }, { text: "Done." }]);
  const { events } = await runTest({ models: [model], tools: [act], hooks, ...more });
  return { lines: toRecordedLines(events).slice(3, -3), read: JSON.stringify(model.requests[1]?.messages.at(-1)) };
};

describe("hooks", () => {
  test("deny a call, with a reason that the model reads", async () => {
    const { lines, read } = await runHooked({
      before: async ({ tool, input }) => ({ decision: "deny", reason: `no ${tool} ${JSON.stringify(input)}` }),
    });
    expect(lines).toEqual(["tool.settled c1 act denied act_denied"]);
    expect(read).toContain("no act");
    expect(done).toEqual([]);
  });

  test("have a human asked where policy would not", async () => {
    const { lines } = await runHooked(
      { before: async () => ({ decision: "ask" }) },
      { approve: async () => ({ allowed: false, reason: "no" }) },
    );
    expect(lines).toEqual(["approval.requested act", "approval.answered denied", "tool.settled c1 act denied act_denied"]);
  });

  test("add to what the model reads, before and after", async () => {
    const { lines, read } = await runHooked({
      before: async () => ({ context: "mind the gap" }),
      after: async (_, { outcome, text }) => ({ context: `${outcome}: ${text}` }),
    });
    expect(lines).toEqual(["tool.started c1 act", "tool.settled c1 act ok"]);
    expect(read).toContain("[hook] mind the gap");
    expect(read).toContain("[hook] ok: did x");
    expect(done).toEqual(["x"]);
  });

  test("that fail before a call have denied it; after it they add nothing", async () => {
    const broken = async (): Promise<never> => {
      throw new Error("broken");
    };
    expect((await runHooked({ before: broken })).lines).toEqual(["tool.settled c1 act denied act_denied"]);
    expect((await runHooked({ after: broken })).lines).toEqual(["tool.started c1 act", "tool.settled c1 act ok"]);
  });

  test("G21 never allow what policy denies: they are not even asked", async () => {
    let asked = 0;
    const { lines } = await runHooked({ before: async () => ({ context: String(++asked) }) }, { approveMode: "read-only" });
    expect(lines).toEqual(["tool.settled c1 act denied act_denied"]);
    expect(asked).toBe(0);
  });
});
