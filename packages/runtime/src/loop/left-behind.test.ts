/** What a drive leaves behind: no timer, no reservation, and no ending where its process only stops driving. */
import { createScriptedModel } from "@retinue/model/testing";
import type { RecordedEvent } from "@retinue/protocol";
import { isLive } from "@retinue/protocol";
import { expect, test } from "vitest";
import { z } from "zod";
import { createManualClock, runTest } from "../testing/index.ts";
import type { ManualClock } from "../testing/index.ts";
import { LeftOpen } from "./parked.ts";
import { defineTool } from "./tool.ts";

/** A clock that knows how many callbacks are still to come. */
const createCountingClock = (): ManualClock & { readonly pending: () => number } => {
  const clock = createManualClock();
  const waiting = new Set<object>();
  return {
    ...clock,
    after: (ms, callback) => {
      const entry = {};
      waiting.add(entry);
      const takeBack = clock.after(ms, () => {
        waiting.delete(entry);
        callback();
      });
      return () => {
        waiting.delete(entry);
        takeBack();
      };
    },
    pending: () => waiting.size,
  };
};

const look = defineTool({
  name: "look",
  description: "Looks.",
  input: z.object({}),
  effect: "read",
  timeoutMs: 1_000,
  execute: () => "seen",
});

test("a call that has ended leaves no timer, nor does a run that has ended", async () => {
  const clock = createCountingClock();
  const pending: number[] = [];
  const model = createScriptedModel([
    { toolCalls: [{ tool: "look", input: {}, callId: "c1" }] },
    { expect: () => void pending.push(clock.pending()), text: "Done." },
  ]);
  await runTest({ models: [model], tools: [look], spec: { limits: { durationMs: 60_000 } }, clock });
  // While it works there is the deadline of the run alone.
  expect(pending).toEqual([1]);
  expect(clock.pending()).toBe(0);
});

test("a turn that failed gives back what was reserved for it", async () => {
  const usage = { input: 100, output: 10 };
  const failing = createScriptedModel([{ error: "model_auth" }], { id: "a/failing" });
  const working = createScriptedModel([{ text: "Done.", usage }], { id: "b/working" });
  const { result } = await runTest({ models: [failing, working], spec: { limits: { tokens: 100_000 } } });
  expect(result).toMatchObject({ status: "completed", remaining: { tokens: 100_000 - 110 } });
});

test("a run whose process stops driving it is left open: nothing is settled", async () => {
  const leaving = new AbortController();
  const recorded: RecordedEvent[] = [];
  const leave = defineTool({
    name: "leave",
    description: "Ends the process.",
    input: z.object({}),
    effect: "write",
    execute: () => {
      leaving.abort(new LeftOpen("The process ends."));
      return "left";
    },
  });
  const model = createScriptedModel([{ toolCalls: [{ tool: "leave", input: {}, callId: "c1" }] }]);
  const run = runTest({
    models: [model],
    tools: [leave],
    signal: leaving.signal,
    onEvent: (event) => void (isLive(event) || recorded.push(event)),
  });
  await expect(run).rejects.toMatchObject({ code: "run_left_open" });
  expect(recorded.map(({ type }) => type)).not.toContain("run.settled");
});
