import type { RetinueEvent } from "@retinue/protocol";
import { expect, test } from "vitest";
import { createJsonEvents, toErrorLine } from "./json-events.ts";

const envelope = { sessionId: "ses_1", runId: "run_1", parentRunId: null, depth: 0, agent: "main", seq: 1, at: "now" } as const;

const delta = (text: string): RetinueEvent => ({ ...envelope, type: "model.delta", step: 1, kind: "text", text });

const answered = (text: string): RetinueEvent => ({
  ...envelope,
  type: "model.answered",
  step: 1,
  model: "m/x",
  content: [{ type: "text", text }],
  finishReason: "stop",
  usage: { input: 1, output: 1, cached: 0, reasoning: 0 },
  costUsd: null,
  activeMs: 1,
});

const linesOf = (events: readonly RetinueEvent[], secrets: readonly string[]): readonly RetinueEvent[] => {
  const toLines = createJsonEvents(secrets);
  const text = events.map((event) => toLines(event)).join("");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as RetinueEvent);
};

test("every line begins with who and when, and nothing is changed", () => {
  expect(createJsonEvents([])(delta("a"))).toBe(
    '{"type":"model.delta","sessionId":"ses_1","runId":"run_1","parentRunId":null,"depth":0,"agent":"main","seq":1,"at":"now","step":1,"kind":"text","text":"a"}\n',
  );
});

test("a secret that comes in pieces does not come out in pieces, and no other text is lost", () => {
  const lines = linesOf([delta("key sk-can"), delta("ary-1 and sk-c"), answered("key sk-canary-1 and sk-c")], ["sk-canary-1"]);
  const streamed = lines.map((line) => (line.type === "model.delta" ? line.text : "")).join("");
  expect(streamed).toBe("key [redacted] and sk-c");
  expect(lines.at(-1)).toMatchObject({ type: "model.answered", content: [{ text: "key [redacted] and sk-c" }] });
});

test("the line of an error has the fields of an event", () => {
  const line = JSON.parse(toErrorLine({ code: "usage", message: "wrong sk-canary-1" }, ["sk-canary-1"])) as Record<
    string,
    unknown
  >;
  expect(line).toMatchObject({ type: "error", sessionId: null, runId: null, parentRunId: null, depth: 0, agent: null, seq: 0 });
  expect(line["error"]).toEqual({ code: "usage", message: "wrong [redacted]" });
});
