import type { EventOf, RetinueEvent, RunId } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import { createAnswerRenderer } from "./answer-renderer.ts";

const ROOT: RunId = "run_root";

const envelope = (runId: RunId = ROOT) =>
  ({ sessionId: "ses_1", runId, parentRunId: null, depth: 0, agent: "main", seq: 1, at: "2026-01-01T00:00:00.000Z" }) as const;

const requested = (step: number): RetinueEvent => ({
  ...envelope(),
  type: "model.requested",
  step,
  model: "m/x",
  estimatedTokens: 1,
  digest: { system: "s", tools: "t", messages: "m" },
  handIn: false,
});

const delta = (text: string, options: { kind?: EventOf<"model.delta">["kind"]; runId?: RunId } = {}): RetinueEvent => ({
  ...envelope(options.runId),
  type: "model.delta",
  step: 1,
  kind: options.kind ?? "text",
  text,
});

const retrying: RetinueEvent = {
  ...envelope(),
  type: "model.retrying",
  step: 1,
  model: "m/x",
  attempt: 2,
  waitMs: 10,
  error: { code: "model_stream_incomplete", message: "cut" },
};

const answered = (text: string, step = 1): RetinueEvent => ({
  ...envelope(),
  type: "model.answered",
  step,
  model: "m/x",
  content: [{ type: "text", text }],
  finishReason: "stop",
  usage: { input: 1, output: 1, cached: 0, reasoning: 0 },
  costUsd: null,
  activeMs: 1,
});

const render = (events: readonly RetinueEvent[], secrets: readonly string[] = []): readonly string[] => {
  const renderer = createAnswerRenderer({ runId: ROOT, secrets });
  return [...events.map((event) => renderer.take(event)), renderer.end()].filter((text) => text !== "");
};

describe("the answer as text", () => {
  test("streams as it comes and ends with one line break", () => {
    expect(render([requested(1), delta("Hel"), delta("lo."), answered("Hello.")])).toEqual(["Hel", "lo.", "\n"]);
    expect(render([requested(1), delta("Hello.\n"), answered("Hello.\n")])).toEqual(["Hello.\n"]);
    expect(render([])).toEqual([]);
  });

  test("holds only the main run's words, neither reasoning nor tool input nor what sub-agents say", () => {
    const events = [
      requested(1),
      delta("thoughts", { kind: "reasoning" }),
      delta("{", { kind: "tool-input" }),
      delta("child", { runId: "run_child" }),
      delta("mine"),
      answered("mine"),
    ];
    expect(render(events).join("")).toBe("mine\n");
  });

  test("stands on lines of its own in each step", () => {
    const events = [
      requested(1),
      delta("Let me look."),
      answered("Let me look."),
      requested(2),
      delta("Done."),
      answered("Done.", 2),
    ];
    expect(render(events).join("")).toBe("Let me look.\nDone.\n");
  });

  test.each<[string, readonly string[], readonly string[], string]>([
    ["the same text again is not printed twice", ["Hel", "lo wor"], ["Hello", " world"], "Hello world\n"],
    ["pieces of another size do not matter", ["Hello wor"], ["H", "ello world and more"], "Hello world and more\n"],
    ["a text that goes another way starts on a new line", ["Hello w"], ["Hello ", "there"], "Hello w\nHello there\n"],
    ["a shorter text that agrees is all there is", ["Hello wor"], ["Hello"], "Hello wor\nHello\n"],
    ["nothing was printed yet", [], ["Hello"], "Hello\n"],
  ])("after a retry: %s", (_name, before, after, expected) => {
    const events = [
      requested(1),
      ...before.map((text) => delta(text)),
      retrying,
      ...after.map((text) => delta(text)),
      answered(after.join("")),
    ];
    expect(render(events).join("")).toBe(expected);
  });

  test("a fallback that answers the same step goes on where it agrees", () => {
    const events = [requested(1), delta("Hel"), requested(1), delta("Hello"), answered("Hello")];
    expect(render(events).join("")).toBe("Hello\n");
  });

  test("what live events left out is made up for by the closing event", () => {
    expect(render([requested(1), answered("whole")]).join("")).toBe("whole\n");
    expect(render([requested(1), delta("wh"), answered("whole")]).join("")).toBe("whole\n");
  });

  test("F7 an escape sequence and a secret that are split over deltas are both caught", () => {
    const events = [requested(1), delta("a\x1b"), delta("[2J sk-can"), delta("ary-1 b"), answered("a\x1b[2J sk-canary-1 b")];
    expect(render(events, ["sk-canary-1"]).join("")).toBe("a\\u{1b}[2J [redacted] b\n");
  });

  test("a long answer in many pieces is not slow", () => {
    const pieces = Array.from({ length: 50_000 }, (_, index) => `piece ${index} `);
    const events = [requested(1), ...pieces.map((text) => delta(text)), answered(pieces.join(""))];
    expect(render(events).join("")).toBe(`${pieces.join("")}\n`);
  });
});
