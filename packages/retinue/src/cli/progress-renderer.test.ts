import { createEventSource } from "@retinue/client/testing";
import type { RetinueEvent, RunResult } from "@retinue/protocol";
import { NO_USAGE } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import { createProgressRenderer, formatBill } from "./progress-renderer.ts";

const envelope = { sessionId: "ses_1", runId: "run_1", parentRunId: null, depth: 0, agent: "main", seq: 1, at: "" } as const;

const result: RunResult = {
  status: "completed",
  summary: "All good.",
  details: "All good.",
  filesModified: [],
  filesCreated: [],
  testsRun: 0,
  testsPassed: 0,
  warnings: [],
  unverified: [],
  suggestions: [],
  findings: [],
  iterations: 2,
  toolCalls: 1,
  contextTokens: 100,
  durationMs: 3210,
  usage: { input: 120, output: 34, cached: 0, reasoning: 0 },
  costUsd: 0.00123,
  depth: 0,
};

/** As a made-up run settles. */
const BILLED = { iterations: 1, toolCalls: 0, durationMs: 1000, usage: NO_USAGE, costUsd: 0 } as const;

const formatProgress = (event: RetinueEvent, redact: (text: string) => string, columns?: number): string | undefined =>
  createProgressRenderer(redact).take(event, columns);

const plain = (text: string): string => text;

const HOSTILE = "\x1b]52;c;AAAA\x07 \u202ex\x9b2J\r";

describe("progress", () => {
  test.each<[string, RetinueEvent, string | undefined]>([
    [
      "a tool call with its input",
      {
        ...envelope,
        type: "tool.started",
        callId: "c",
        tool: "read",
        input: { path: "a b.ts", from: 3 },
        effect: "read",
        repeatable: true,
      },
      "main: read path=a b.ts from=3",
    ],
    [
      "a failed tool call with its reason",
      {
        ...envelope,
        type: "tool.settled",
        callId: "c",
        tool: "read",
        outcome: "error",
        content: [],
        error: { code: "tool_failed", message: "no such file" },
        activeMs: 1,
      },
      "main: read error: no such file",
    ],
    [
      "no line for one that went well",
      { ...envelope, type: "tool.settled", callId: "c", tool: "read", outcome: "ok", content: [], activeMs: 1 },
      undefined,
    ],
    [
      "a retry",
      {
        ...envelope,
        type: "model.retrying",
        step: 1,
        model: "m/x",
        attempt: 2,
        waitMs: 1500,
        error: { code: "model_overloaded", message: "503" },
      },
      "main: m/x failed (model_overloaded: 503), again in 1.5 s",
    ],
    [
      "a limit",
      { ...envelope, type: "limit.reached", limit: "iterations", used: 5, max: 5 },
      "main: reached its limit iterations (5 of 5) and hands in what it has",
    ],
    [
      "a sub-agent's result, indented",
      { ...envelope, parentRunId: "run_0", depth: 2, agent: "coder", type: "run.settled", result },
      `    coder: ${formatBill(result)}: All good.`,
    ],
    ["no line for the main result, whose bill comes last", { ...envelope, type: "run.settled", result }, undefined],
  ])("%s", (_name, event, expected) => expect(formatProgress(event, plain)).toBe(expected));

  test("a sub-agent that had sub-agents tells its own bill and that of its tree", () => {
    const source = createEventSource();
    const main = source.run("run_1");
    const middle = source.run("run_2", main.identity, "planner");
    const low = source.run("run_3", middle.identity, "coder");
    const { take, runs } = createProgressRenderer(plain);
    const events = [main.requested(), middle.requested(), low.requested(), low.answered(1, "x"), middle.answered(1, "y")];
    const told = [...events, low.settled(), middle.settled()].map((event) => take(event));
    expect(told.at(-2)).toBe(`    coder: ${formatBill({ ...result, ...BILLED })}: Done.`);
    expect(told.at(-1)).toBe(
      `  planner: ${formatBill({ ...result, ...BILLED })}; with 1 run below: 200 tokens in, 20 out, $0.50: Done.`,
    );
    expect(runs().get("run_1")?.inclusive).toMatchObject({ runs: 3, usage: { input: 200 } });
  });

  test("a parked run tells what it waits for", () => {
    const parked: RetinueEvent = {
      ...envelope,
      type: "run.parked",
      on: [
        { type: "approval", approvalId: "apr_1" },
        { type: "run", runId: "run_2" },
        { type: "run", runId: "run_3" },
      ],
      activeMs: 5,
    };
    expect(formatProgress(parked, plain)).toBe("main: waits for 1 approval and 2 runs below and has left memory");
  });

  test("F6 names, inputs, messages and agents are shown escaped, on one line", () => {
    const events: readonly RetinueEvent[] = [
      {
        ...envelope,
        agent: HOSTILE,
        type: "tool.started",
        callId: "c",
        tool: HOSTILE,
        input: { [HOSTILE]: `${HOSTILE}\nsecond line` },
        effect: "read",
        repeatable: true,
      },
      {
        ...envelope,
        type: "tool.settled",
        callId: "c",
        tool: "t",
        outcome: "error",
        content: [],
        error: { code: "tool_failed", message: HOSTILE },
        activeMs: 1,
      },
      { ...envelope, type: "tool.progress", callId: "c", text: HOSTILE },
      {
        ...envelope,
        type: "model.retrying",
        step: 1,
        model: HOSTILE,
        attempt: 1,
        waitMs: 1,
        error: { code: "model_overloaded", message: HOSTILE },
      },
      { ...envelope, parentRunId: "run_0", type: "run.settled", result: { ...result, summary: HOSTILE } },
    ];
    for (const event of events) {
      const line = formatProgress(event, plain) ?? "";
      expect(line).toContain("\\u{1b}]52");
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
  });

  test("a secret is replaced, and a long input is cut after that", () => {
    const redact = (text: string): string => text.replaceAll("sk-canary", "[redacted]");
    const event: RetinueEvent = {
      ...envelope,
      type: "tool.started",
      callId: "c",
      tool: "shell",
      input: { command: `curl sk-canary ${"x".repeat(500)}` },
      effect: "execute",
      repeatable: false,
    };
    const line = formatProgress(event, redact) ?? "";
    expect(line).toContain("command=curl [redacted] xxx");
    expect(line.length).toBeLessThan(200);
    expect(line.endsWith("…")).toBe(true);
    const short = formatProgress(event, redact, 40) ?? "";
    expect(short).toHaveLength(40);
    expect(line.startsWith(short.slice(0, -1))).toBe(true);
  });

  test.each([
    [0.00123, "$0.0012"],
    [0, "$0.00"],
    [1.5, "$1.50"],
    [null, "cost unknown"],
  ])("a bill of %s reads %s", (costUsd, shown) => {
    expect(formatBill({ ...result, costUsd })).toBe(
      `completed in 3.2 s, 2 model calls, 1 tool call, 120 tokens in, 34 out, ${shown}`,
    );
  });
});
