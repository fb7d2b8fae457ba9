import type { RecordedEvent } from "@retinue/protocol";
import { expect, test } from "vitest";
import { eachValue } from "./persistent-map.ts";
import { foldProjections } from "./plan-append.ts";
import { createRunDrafts } from "./testing/session-drafts.ts";

test("L18 20,000 calls of one answer are projected in time that grows with their number", { timeout: 120_000 }, () => {
  const run = createRunDrafts();
  const events: RecordedEvent[] = [];
  const add = (draft: object): void => void events.push({ ...draft, seq: events.length + 1 } as RecordedEvent);
  add(run.requested());
  const common = {
    sessionId: "ses_a",
    runId: "run_a",
    parentRunId: null,
    depth: 0,
    agent: "main",
    at: "2026-01-01T00:00:00.000Z",
  };
  for (let index = 0; index < 20_000; index += 1)
    add({ ...common, type: "tool.started", callId: `c${index}`, tool: "read", input: {}, effect: "read", repeatable: true });
  for (let index = 0; index < 20_000; index += 1)
    add({ ...common, type: "tool.settled", callId: `c${index}`, tool: "read", outcome: "ok", content: [], activeMs: 0 });
  const projected = foldProjections(events, 1).get("run_a");
  expect(projected ? [...eachValue(projected.calls)].filter(({ settled }) => settled) : []).toHaveLength(20_000);
});
