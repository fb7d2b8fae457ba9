import { createScriptedModel } from "@retinue/model/testing";
import type { ErrorCode, RetinueEvent } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ManualClock } from "../limits/manual-clock.ts";
import { createManualClock } from "../limits/manual-clock.ts";
import { runTest, toLines, toRecordedLines } from "../testing/index.ts";
import { waitOutage } from "./outage.ts";
import { defineTool } from "./tool.ts";

/** Moves the clock over each wait that the run tells of. */
const passing =
  (clock: ManualClock, then?: () => void) =>
  (event: RetinueEvent): void => {
    if (event.type !== "model.retrying") return;
    // The run begins to wait after it has told so.
    setImmediate(() => {
      then?.();
      clock.advance(event.waitMs);
    });
  };

const away = { error: "model_unreachable" } as const;

describe("a model that is away", () => {
  test("is waited for, longer from try to try, and the run goes on when it is back", async () => {
    const clock = createManualClock();
    const model = createScriptedModel([away, { error: "model_overloaded" }, away, { text: "Back." }]);
    const { events, result } = await runTest({
      models: [model],
      clock,
      outage: waitOutage(60_000),
      onEvent: passing(clock),
    });
    expect(toLines(events).filter((line) => !line.startsWith("model.delta"))).toEqual([
      "run.started",
      "model.requested 1 scripted/model",
      "model.failed 1 scripted/model model_unreachable then scripted/model",
      "model.retrying 2 model_unreachable",
      "model.requested 1 scripted/model",
      "model.failed 1 scripted/model model_overloaded then scripted/model",
      "model.retrying 3 model_overloaded",
      "model.requested 1 scripted/model",
      "model.failed 1 scripted/model model_unreachable then scripted/model",
      "model.retrying 4 model_unreachable",
      "model.requested 1 scripted/model",
      "model.answered 1 scripted/model stop",
      "run.settled completed",
    ]);
    expect(result).toMatchObject({ status: "completed", iterations: 1 });
    const told = events.flatMap((event) => (event.type === "model.retrying" ? [event] : []));
    expect(told.map(({ waitMs }) => waitMs)).toEqual([1000, 2000, 4000]);
    expect(new Set(told.map(({ giveUpAt }) => giveUpAt))).toEqual(new Set(["2026-01-01T00:01:00.000Z"]));
  });

  test("has a budget of its own in every turn", async () => {
    const clock = createManualClock();
    const budgets: number[] = [];
    const model = createScriptedModel([
      away,
      { text: "Looked.", toolCalls: [{ tool: "nothing", input: {} }] },
      away,
      { text: "Done." },
    ]);
    await runTest({
      models: [model],
      clock,
      outage: (outage) => {
        budgets.push(outage.lastedMs, outage.tries);
        return waitOutage(60_000)(outage);
      },
      onEvent: passing(clock),
    });
    expect(budgets).toEqual([0, 1, 0, 1]);
  });

  test("leaves the run open when the budget is used up, and the run resumes", async () => {
    const clock = createManualClock();
    const model = createScriptedModel(Array.from({ length: 4 }, () => away));
    const events: RetinueEvent[] = [];
    const pass = passing(clock);
    const left = runTest({
      models: [model],
      clock,
      outage: waitOutage(5000),
      onEvent: (event) => {
        events.push(event);
        pass(event);
      },
    });
    await expect(left).rejects.toMatchObject({
      code: "run_left_open",
      message: expect.stringContaining("scripted/model") as unknown,
      hint: expect.stringContaining("retinue sessions resume") as unknown,
    });
    expect(clock.now()).toBe(5000);
    expect(events.some(({ type }) => type === "run.settled")).toBe(false);
  });

  test("is asked after its fallbacks were, and first again in the next try", async () => {
    const clock = createManualClock();
    const first = createScriptedModel([away, { text: "Back." }], { id: "one/a" });
    const second = createScriptedModel([away], { id: "two/b" });
    const { events } = await runTest({ models: [first, second], clock, outage: waitOutage(60_000), onEvent: passing(clock) });
    expect(toRecordedLines(events)).toEqual([
      "run.started",
      "model.requested 1 one/a",
      "model.failed 1 one/a model_unreachable then two/b",
      "model.requested 1 two/b",
      "model.failed 1 two/b model_unreachable then one/a",
      "model.requested 1 one/a",
      "model.answered 1 one/a stop",
      "run.settled completed",
    ]);
  });

  test.each(["model_auth", "model_misaddressed", "model_server_error", "model_stream_garbage"] as const)(
    "%s at first contact is no outage, and fails the run at once",
    async (error) => {
      const { result } = await runTest({ models: [createScriptedModel([{ error }])], outage: waitOutage(60_000) });
      expect(result).toMatchObject({ status: "failed", error: { code: error } });
    },
  );

  test("is not waited for any longer when the run is cancelled", async () => {
    const clock = createManualClock();
    const cancel = new AbortController();
    const { result } = await runTest({
      models: [createScriptedModel([away])],
      clock,
      signal: cancel.signal,
      outage: waitOutage(60_000),
      onEvent: ({ type }) => {
        if (type === "model.retrying") setImmediate(() => cancel.abort(new RetinueError("cancelled", "Enough.")));
      },
    });
    expect(result).toMatchObject({ status: "cancelled", error: { message: "Enough." } });
    expect(clock.now()).toBe(0);
  });

  test("is waited for no longer than the run's time: waiting counts", async () => {
    const clock = createManualClock();
    const { result } = await runTest({
      models: [createScriptedModel(Array.from({ length: 20 }, () => away))],
      spec: { limits: { durationMs: 10_000 } },
      clock,
      outage: waitOutage(600_000),
      onEvent: passing(clock),
    });
    expect(result).toMatchObject({ status: "timeout" });
    expect(clock.now()).toBeLessThan(20_000);
  });

  describe("when the conversation has to be summarised", () => {
    const echo = defineTool({
      name: "echo",
      description: "Says it.",
      input: z.object({ text: z.string() }),
      effect: "read",
      execute: ({ text }) => text,
    });
    /** Says so much that it has to be summarised, by a model that is away the first times that it is asked to, until it is done. */
    const talkative = (timesAway: number, code: ErrorCode = "model_unreachable") => {
      let [asked, turns] = [0, 0];
      return createScriptedModel((request) => {
        if (request.tools.length === 0) return asked++ < timesAway ? { error: code } : { text: "Notes: read much." };
        turns += 1;
        if (turns > 6) return { text: "Done." };
        return {
          text: `${turns}`.padEnd(1_600, "y"),
          toolCalls: [{ tool: "echo", input: { text: `${turns}` }, callId: `c${turns}` }],
        };
      });
    };
    const spec = { limits: { contextTokens: 1_500 } };
    const summariesOf = (events: readonly RetinueEvent[]) =>
      events.flatMap((event) => (event.type === "context.fitted" && event.summary ? [event.summary.model] : []));

    test("is waited for as in a turn, and nothing is lost", async () => {
      const clock = createManualClock();
      const { events, result } = await runTest({
        models: [talkative(2)],
        tools: [echo],
        spec,
        clock,
        outage: waitOutage(60_000),
        onEvent: passing(clock),
      });
      expect(result).toMatchObject({ status: "completed", details: "Done." });
      expect(new Set(summariesOf(events))).toEqual(new Set(["scripted/model"]));
      expect(clock.now()).toBe(3000);
      expect(toLines(events).filter((line) => /^model\.(failed|retrying)/.test(line))).toEqual([
        expect.stringMatching(/^model.failed \d scripted\/model model_unreachable then scripted\/model$/),
        "model.retrying 2 model_unreachable",
        expect.stringMatching(/^model.failed \d scripted\/model model_unreachable then scripted\/model$/),
        "model.retrying 3 model_unreachable",
      ]);
    });

    test("leaves the run open when the budget is used up, with the conversation as it was", async () => {
      const clock = createManualClock();
      const events: RetinueEvent[] = [];
      const left = runTest({
        models: [talkative(Infinity)],
        tools: [echo],
        spec,
        clock,
        outage: waitOutage(5000),
        onEvent: (event) => {
          events.push(event);
          passing(clock)(event);
        },
      });
      await expect(left).rejects.toMatchObject({ code: "run_left_open" });
      expect(clock.now()).toBe(5000);
      expect(summariesOf(events)).toEqual([]);
    });

    test("gives way to a fallback", async () => {
      const [first, second] = [talkative(Infinity), createScriptedModel(() => ({ text: "Done by another." }), { id: "two/b" })];
      const { result } = await runTest({ models: [first, second], tools: [echo], spec, outage: waitOutage(60_000) });
      expect(result).toMatchObject({ status: "completed", details: "Done by another." });
    });

    test("is waited for no longer than the run's time", async () => {
      const clock = createManualClock();
      const { result } = await runTest({
        models: [talkative(Infinity)],
        tools: [echo],
        spec: { limits: { ...spec.limits, durationMs: 10_000 } },
        clock,
        outage: waitOutage(600_000),
        onEvent: passing(clock),
      });
      expect(result).toMatchObject({ status: "timeout" });
    });

    test("and fails otherwise, the calls are listed at once", async () => {
      const { events, result } = await runTest({
        models: [talkative(Infinity, "model_server_error")],
        tools: [echo],
        spec,
        outage: waitOutage(60_000),
      });
      expect(result).toMatchObject({ status: "completed" });
      expect(new Set(summariesOf(events))).toEqual(new Set(["none"]));
    });
  });
});
