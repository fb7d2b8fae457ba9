import { createScriptedModel } from "@retinue/model/testing";
import type { EventDraft, RecordedEvent, RetinueEvent } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createState } from "../record/fold.ts";
import { runLoop } from "./loop.ts";
import { createManualClock } from "../limits/manual-clock.ts";
import { toRecordedLines } from "../testing/index.ts";
import { defineTool } from "./tool.ts";

const start = (execute: (signal: AbortSignal) => Promise<string> | string) => {
  const clock = createManualClock();
  const wait = defineTool({
    name: "wait",
    description: "Waits.",
    input: z.object({}),
    effect: "read",
    execute: (_, { signal }) => execute(signal),
  });
  const model = createScriptedModel([{ toolCalls: [{ tool: "wait", input: {}, callId: "c1" }] }, { text: "Done." }]);
  const requested: EventDraft & { readonly type: "run.requested" } = {
    sessionId: "ses_1",
    runId: "run_1",
    parentRunId: null,
    depth: 0,
    agent: "main",
    at: clock.date(),
    type: "run.requested",
    task: [{ type: "text", text: "Do it." }],
    spec: {
      system: "",
      model: model.id,
      fallbacks: [],
      tools: ["wait"],
      limits: {},
      treeLimits: {},
      delegates: [],
      workspace: "/work",
      grant: { tools: ["wait"], writes: [], hosts: [], approve: "all", maxDepth: 3 },
    },
  };
  const log: RecordedEvent[] = [];
  const loop = runLoop({
    state: createState(requested),
    signal: new AbortController().signal,
    epoch: 1,
    resumed: false,
    ports: {
      emit: (drafts) => {
        const events = drafts.map((draft, index): RecordedEvent => ({ ...draft, seq: log.length + index + 1 }));
        log.push(...events);
        return events;
      },
      model: () => model,
      tools: new Map([["wait", wait]]),
      clock,
      artifacts: {
        write: async (text) => ({ artifactId: "art_1", chars: text.length, lines: 1 }),
        read: async () => undefined,
      },
      realPath: async (file) => file,
    },
  });
  return { loop, log };
};

describe("the loop as a generator", () => {
  test("it yields every event in the order of the log and returns the result", async () => {
    const { loop, log } = start(() => "waited");
    const events: RetinueEvent[] = [];
    let next = await loop.next();
    for (; !next.done; next = await loop.next()) events.push(next.value);
    expect(next.value).toMatchObject({ type: "settled", result: { status: "completed" } });
    expect(toRecordedLines(events)).toEqual([
      "run.started",
      "model.requested 1 scripted/model",
      "model.answered 1 scripted/model tool-calls",
      "tool.started c1 wait",
      "tool.settled c1 wait ok",
      "model.requested 2 scripted/model",
      "model.answered 2 scripted/model stop",
      "run.settled completed",
    ]);
    expect(events.filter((event) => event.type !== "model.delta")).toEqual(log);
  });

  test("who stops listening stops the run: what is under way is told, and nothing more is recorded", async () => {
    let stopped: (() => void) | undefined;
    const heard = new Promise<void>((resolve) => (stopped = resolve));
    const { loop, log } = start(
      (signal) =>
        new Promise((resolve) =>
          signal.addEventListener("abort", () => {
            stopped?.();
            resolve("stopped");
          }),
        ),
    );
    for await (const event of loop) if (event.type === "tool.started") break;
    await heard;
    await new Promise((resolve) => setImmediate(resolve));
    expect(toRecordedLines(log).at(-1)).toBe("tool.started c1 wait");
  });

  test("what the log throws comes out of the generator", async () => {
    const { loop, log } = start(() => {
      log.push = () => {
        throw new Error("the disk is full");
      };
      return "waited";
    });
    await expect(async () => {
      for await (const _ of loop);
    }).rejects.toThrow("the disk is full");
  });
});
