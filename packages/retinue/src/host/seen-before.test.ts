import type { RecordedEvent } from "@retinue/protocol";
import { expect, test } from "vitest";
import { createSeenBefore, toSeenTimes } from "./seen-before.ts";

const AT = "2026-01-01T00:00:00.000Z";
const call = (callId: string, tool: string, input: object, outcome = "ok"): readonly RecordedEvent[] =>
  [
    { type: "tool.started", callId, tool, input },
    { type: "tool.settled", callId, tool, outcome, at: AT },
  ] as never;

test("N16 files that were read, written and edited are known with their times, and a call that failed tells nothing", () => {
  const events = [
    ...call("a", "read", { path: "a.ts" }),
    ...call("b", "write", { path: "/work/b.ts", content: "" }),
    ...call("c", "edit", { files: [{ path: "c.ts", edits: [] }] }),
    ...call("d", "write", { path: "d.ts", content: "" }, "denied"),
    ...call("e", "shell", { path: "e.ts" }),
  ];
  expect([...toSeenTimes(events, "/work")]).toEqual(["a", "b", "c"].map((name) => [`/work/${name}.ts`, Date.parse(AT)]));
});

test("the record of a session is read once", async () => {
  let times = 0;
  const seen = createSeenBefore({
    folder: "/work",
    events: async () => {
      times += 1;
      return [];
    },
  });
  const run = { sessionId: "ses_1", runId: "run_1", parentRunId: null, depth: 0, agent: "main" } as const;
  await Promise.all([seen(run), seen(run)]);
  expect(times).toBe(1);
});
