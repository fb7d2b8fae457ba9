/** The order and the failures of appends that overlap. */
import type { EventDraft, RecordedEvent } from "@retinue/protocol";
import { expect, test } from "vitest";
import type { Ports } from "../loop/ports.ts";
import { createManualClock } from "../limits/manual-clock.ts";
import { createState } from "./fold.ts";
import { createRecorder } from "./recorder.ts";

/** A recorder on a log that answers when it is told to. */
const open = () => {
  const appends: { readonly drafts: readonly EventDraft[]; readonly end: () => void; readonly fail: (error: Error) => void }[] =
    [];
  const shown: string[] = [];
  const state = createState({
    sessionId: "ses_test",
    runId: "run_test",
    parentRunId: null,
    depth: 0,
    agent: "main",
    at: "2026-01-01T00:00:00.000Z",
    type: "run.requested",
    task: [{ type: "text", text: "Do it." }],
    spec: {
      system: "",
      model: "a/one",
      fallbacks: [],
      tools: [],
      limits: {},
      treeLimits: {},
      delegates: [],
      workspace: "/work",
      grant: { tools: [], writes: [], hosts: [], approve: "all", maxDepth: 3 },
    },
  });
  const emit: Ports["emit"] = (drafts) => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly RecordedEvent[]>();
    const events = drafts.map((draft, at): RecordedEvent => ({ ...draft, seq: at + 1 }));
    appends.push({ drafts, end: () => resolve(events), fail: reject });
    return promise;
  };
  // The recorder needs no other port.
  const ports = { emit, clock: createManualClock() } as unknown as Ports;
  const recorder = createRecorder(state, ports, (event) => shown.push(event.type));
  return { appends, shown, state, ...recorder };
};

const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("what is noted is part of the state at once, is appended once, and is shown when it is recorded", async () => {
  const { appends, shown, state, note, flush } = open();
  note({ type: "cancel.requested", reason: "enough" });
  expect(state.cancelRequested).toEqual({ reason: "enough" });
  expect(appends).toEqual([]);
  const flushed = flush();
  expect(flush()).toBeUndefined();
  expect([appends.map(({ drafts }) => drafts.length), shown]).toEqual([[1], []]);
  appends[0]?.end();
  await flushed;
  expect(shown).toEqual(["cancel.requested"]);
});

test("whoever flushes waits for what is under way, too", async () => {
  const { appends, note, flush, flushMeanwhile } = open();
  note({ type: "run.started", epoch: 1, resumed: false });
  flushMeanwhile();
  note({ type: "cancel.requested" });
  let isDone = false;
  const flushed = flush()?.then(() => (isDone = true));
  appends[1]?.end();
  await later();
  expect(isDone).toBe(false);
  appends[0]?.end();
  await flushed;
  expect(isDone).toBe(true);
});

test("what could not be appended meanwhile is thrown to whoever flushes next", async () => {
  const { appends, note, flush, flushMeanwhile } = open();
  note({ type: "run.started", epoch: 1, resumed: false });
  flushMeanwhile();
  appends[0]?.fail(new Error("the disk is full"));
  await later();
  await expect(flush()).rejects.toThrow("the disk is full");
});
