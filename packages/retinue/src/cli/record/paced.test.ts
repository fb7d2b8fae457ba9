import type { RecordedEvent } from "@retinue/protocol";
import { expect, test } from "vitest";
import { paced, toGap } from "./paced.ts";

const never = new AbortController().signal;

const event = (seq: number, at: string): RecordedEvent => ({
  type: "run.started",
  epoch: 1,
  resumed: false,
  sessionId: "ses_a",
  runId: "run_a",
  parentRunId: null,
  depth: 0,
  agent: "main",
  seq,
  at,
});

test.each([
  [500, 1, 500],
  [500, 10, 50],
  [60_000, 1, 2_000],
  [60_000, 4, 500],
  [-5_000, 1, 0],
  [Number.NaN, 1, 0],
])("a pause of %d ms at speed %d lasts %d ms", (recorded, speed, expected) => {
  expect(toGap(recorded, speed)).toBe(expected);
});

test("at speed 0 everything comes at once and in order", async () => {
  const events = [event(1, "2026-01-01T00:00:00Z"), event(2, "2026-01-02T00:00:00Z"), event(3, "2026-01-01T00:00:00Z")];
  const seen: RecordedEvent[] = [];
  for await (const one of paced(events, { speed: 0, signal: never })) seen.push(one);
  expect(seen).toEqual(events);
});

test("a pause ends when it is interrupted", async () => {
  const stop = new AbortController();
  const events = [event(1, "2026-01-01T00:00:00Z"), event(2, "2026-01-02T00:00:00Z")];
  const seen: number[] = [];
  for await (const { seq } of paced(events, { speed: 0.000_1, signal: stop.signal })) {
    seen.push(seq);
    setImmediate(() => stop.abort());
  }
  expect(seen).toEqual([1]);
});
