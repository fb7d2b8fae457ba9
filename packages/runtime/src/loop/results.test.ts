import { createScriptedModel } from "@retinue/model/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { findUnverified } from "../delegation/claims/find-unverified.ts";
import type { HookedCall } from "./hooks.ts";
import type { AcceptPorts } from "./ports.ts";
import { runTest, toRecordedLines } from "../testing/index.ts";
import { defineTool } from "./tool.ts";

const OUTPUT = { type: "object", properties: { count: { type: "integer" } }, required: ["count"], additionalProperties: false };

describe("a result by schema", () => {
  test("is handed over as a value, also out of a fenced block", async () => {
    for (const text of ['{"count": 3}', 'Here it is:\n```json\n{"count": 3}\n```\n']) {
      const { result } = await runTest({ models: [createScriptedModel([{ text }])], spec: { output: OUTPUT } });
      expect(result).toMatchObject({ status: "completed", output: { count: 3 } });
    }
  });

  test("that does not fit gets one turn to be mended", async () => {
    const model = createScriptedModel([{ text: "Three." }, { text: '{"count": 3}' }]);
    const { events, result } = await runTest({ models: [model], spec: { output: OUTPUT } });
    expect(toRecordedLines(events)).toEqual([
      "run.started",
      "model.requested 1 scripted/model",
      "model.answered 1 scripted/model stop",
      "result.rejected schema",
      "model.requested 2 scripted/model",
      "model.answered 2 scripted/model stop",
      "run.settled completed",
    ]);
    expect(result.output).toEqual({ count: 3 });
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("it is not one JSON value");
  });

  test("that does not fit twice is invalid", async () => {
    const model = createScriptedModel([{ text: '{"count": "three"}' }, { text: '{"count": 3, "more": 1}' }]);
    const { result } = await runTest({ models: [model], spec: { output: OUTPUT } });
    expect(result).toMatchObject({ status: "failed", error: { code: "invalid_result" } });
    model.assertDone();
  });
});

describe("what is hostile in a result by schema", () => {
  test("J4 a schema of a record whose pattern could take very long is not run: the result does not fit", async () => {
    const output = { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } } as const;
    const text = JSON.stringify({ a: `${"a".repeat(10_000)}!` });
    const { result } = await runTest({ models: [createScriptedModel([{ text }, { text }])], spec: { output } });
    expect(result).toMatchObject({ status: "failed", error: { code: "invalid_result" } });
    expect(result.error?.message).toContain("its schema cannot be checked: The pattern");
  });

  test("J4 an answer of a hundred thousand empty lines is looked through once", async () => {
    const text = `\`\`\`${"\n".repeat(100_000)}`;
    const { result } = await runTest({ models: [createScriptedModel([{ text }, { text }])], spec: { output: OUTPUT } });
    expect(result).toMatchObject({ status: "failed", error: { code: "invalid_result" } });
  });
});

describe("a result that something must accept", () => {
  /** A shell that answers with what it is given, one line a command; nothing left is agreement. */
  const shellSaying = (...complaints: readonly string[]): AcceptPorts => {
    const left = [...complaints];
    return {
      command: defineTool({
        name: "shell",
        description: "Runs a command.",
        input: z.object({ command: z.string() }),
        effect: "execute",
        touches: ({ command }) => ({ command }),
        execute: () => {
          const complaint = left.shift();
          return { content: [{ type: "text", text: complaint ?? "fine" }], isError: complaint !== undefined };
        },
      }),
    };
  };

  test("is completed when it does; the command is a recorded call", async () => {
    const { result, events } = await runTest({
      models: [createScriptedModel([{ text: "Done." }])],
      spec: { accept: { command: "true" } },
      accept: shellSaying(),
    });
    expect(result.status).toBe("completed");
    expect(toRecordedLines(events).slice(-3)).toEqual([
      "tool.started accept_1 shell",
      "tool.settled accept_1 shell ok",
      "run.settled completed",
    ]);
  });

  test("waits for a human where the command needs one, and is not run twice by a run that was cut after it", async () => {
    const asked = await runTest({
      models: [createScriptedModel([{ text: "Done." }])],
      spec: { accept: { command: "npm test" } },
      accept: shellSaying("two tests fail"),
      approveMode: "ask",
      park: true,
    });
    expect(asked.driven).toMatchObject({ type: "parked", on: [{ type: "approval" }] });
    const denied = await runTest({
      models: [createScriptedModel([{ text: "Done." }, { text: "Done." }])],
      spec: { accept: { command: "npm test" } },
      accept: shellSaying(),
      approveMode: "ask",
      approve: async () => ({ allowed: false }),
    });
    expect(denied.result).toMatchObject({ status: "failed", error: { code: "not_accepted" } });
    const whole = await runTest({
      models: [createScriptedModel([{ text: "Done." }])],
      spec: { accept: { command: "npm test" } },
      accept: shellSaying(),
    });
    const settledAt = whole.log.findIndex(({ type }) => type === "tool.settled");
    const resumed = await runTest({
      models: [createScriptedModel([])],
      spec: { accept: { command: "npm test" } },
      accept: shellSaying("it ran again"),
      log: whole.log.slice(0, settledAt + 1),
    });
    expect(resumed.result).toMatchObject({ status: "completed" });
  });

  test("is not accepted where a hook denies the command, which is not run then", async () => {
    const seen: HookedCall[] = [];
    const { result, events } = await runTest({
      models: [createScriptedModel([{ text: "Done." }, { text: "Done." }])],
      spec: { accept: { command: "npm test" } },
      accept: shellSaying("it ran"),
      hooks: {
        before: async (call) => {
          seen.push(call);
          return { decision: "deny", reason: "not on a Friday" };
        },
      },
    });
    expect(seen[0]).toMatchObject({ callId: "accept_1", tool: "shell", commands: ["npm test"] });
    const settled = events.flatMap((event) => (event.type === "tool.settled" ? [`${event.callId} ${event.outcome}`] : []));
    expect(settled).toEqual(["accept_1 denied", "accept_2 denied"]);
    expect(result).toMatchObject({ status: "failed", error: { code: "not_accepted" } });
    expect(result.error?.message).toContain("not on a Friday");
  });

  test("is asked about where a hook wants that, and hooks hear of what came of the command", async () => {
    const heard: string[] = [];
    const asked = await runTest({
      models: [createScriptedModel([{ text: "Done." }])],
      spec: { accept: { command: "npm test" } },
      accept: shellSaying(),
      approve: async ({ act }) => {
        heard.push(`asked about ${JSON.stringify(act.input)}`);
        return { allowed: true };
      },
      hooks: {
        before: async () => ({ decision: "ask" }),
        after: async ({ callId }, { outcome, text }) => void heard.push(`${callId} ${outcome} ${text}`),
      },
    });
    expect(asked.result).toMatchObject({ status: "completed" });
    expect(heard).toEqual(['asked about {"command":"npm test"}', "accept_1 ok fine"]);
  });

  test("is told why not, once, and then has failed", async () => {
    const model = createScriptedModel([{ text: "Done." }, { text: "Really done." }]);
    const { events, result } = await runTest({
      models: [model],
      spec: { accept: { command: "npm test" } },
      accept: shellSaying("two tests fail", "one test fails"),
    });
    expect(toRecordedLines(events).filter((line) => line.startsWith("result"))).toEqual([
      "result.rejected accept",
      "result.rejected accept",
    ]);
    expect(result).toMatchObject({
      status: "failed",
      error: { code: "not_accepted", message: '"npm test" does not agree:\none test fails' },
      details: "Really done.",
    });
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("two tests fail");
  });
});

describe("claims are held against the record", () => {
  const write = defineTool({
    name: "write",
    description: "Writes.",
    input: z.object({ path: z.string() }),
    effect: "write",
    execute: ({ path }) => ({ content: [{ type: "text", text: "ok" }], files: { created: [path], modified: [] } }),
  });
  const check = defineTool({
    name: "check",
    description: "Tests.",
    input: z.object({}),
    effect: "execute",
    execute: () => ({ content: [{ type: "text", text: "ok" }], tests: { run: 5, passed: 5 } }),
  });

  test("what was measured is not marked, what was only said is", async () => {
    const model = createScriptedModel([
      {
        toolCalls: [
          { tool: "write", input: { path: "src/a.ts" } },
          { tool: "check", input: {} },
        ],
      },
      { text: "Created `src/a.ts` and updated `src/b.ts`. All 5 tests pass." },
    ]);
    const { result } = await runTest({ models: [model], tools: [write, check] });
    expect(result).toMatchObject({
      filesCreated: ["src/a.ts"],
      testsRun: 5,
      testsPassed: 5,
      unverified: ["a change of src/b.ts"],
    });
  });

  for (const [text, found] of [
    ["All tests pass.", ['"All tests pass"']],
    ["12 tests passed", ['"12 tests passed"']],
    ["I would update `src/x.ts` next.", []],
    ["I read `src/x.ts` and found nothing.", []],
    ["Implemented the parser in `./lib/p.py:12-20`", ["a change of lib/p.py"]],
  ] as const)
    test(`nothing happened, and "${text}" is said`, () => {
      const state = { filesModified: new Set<string>(), filesCreated: new Set<string>(), testRuns: [] };
      expect(findUnverified(text, state)).toEqual(found);
    });
});
