import { RetinueError } from "@retinue/protocol";
import type { ErrorCode } from "@retinue/protocol";
import { describe, expect, it } from "vitest";
import type { ModelAnswer, ModelChunk } from "./contract.ts";
import { createGate } from "./gate.ts";
import { runAttempts } from "./retry.ts";
import type { Attempt, RetrySettings } from "./retry.ts";
import type { Failure } from "./transport/failure.ts";
import { createManualTiming } from "./transport/manual-timing.ts";

const ANSWER: ModelAnswer = {
  type: "answer",
  content: [{ type: "text", text: "done" }],
  finishReason: "stop",
  usage: { input: 1, output: 1, cached: 0, reasoning: 0 },
  costUsd: null,
};

const failure = (code: ErrorCode, rest: Partial<Failure> = {}): Failure => ({
  type: "failure",
  error: new RetinueError(code, `it failed with ${code}`),
  retry: "yes",
  refusal: false,
  ...rest,
});

type Run = {
  readonly chunks: ModelChunk[];
  readonly starts: number;
  readonly waits: readonly number[];
  readonly thrown: unknown;
};

const run = async (outcomes: readonly (ModelAnswer | Failure)[], settings: Partial<RetrySettings> = {}): Promise<Run> => {
  const timing = createManualTiming({ jumps: true });
  let starts = 0;
  const chunks: ModelChunk[] = [];
  let thrown: unknown;
  try {
    for await (const chunk of runAttempts({
      gate: createGate({ timing }),
      settings: { attempts: 4, maxWaitMs: 60_000, ...settings },
      signal: new AbortController().signal,
      timing,
      start: (onSettled): Attempt => {
        const outcome = outcomes[starts++];
        if (!outcome) throw new Error("one attempt too many");
        const texts = [`attempt ${starts}`];
        onSettled(outcome);
        return {
          take: () => {
            const text = texts.pop();
            return text === undefined ? undefined : { type: "text", text };
          },
          outcome: () => outcome,
          changed: () => Promise.resolve(),
          cancel: () => {},
        };
      },
    }))
      chunks.push(chunk);
  } catch (error) {
    thrown = error;
  }
  return { chunks, starts, waits: timing.waits, thrown };
};

describe("runAttempts", () => {
  it("gives the answer of the first attempt that has one, and voids what came before", async () => {
    const { chunks, thrown } = await run([failure("model_overloaded"), failure("model_stream_stalled"), ANSWER]);
    expect(thrown).toBeUndefined();
    expect(chunks.map((chunk) => (chunk.type === "text" ? chunk.text : chunk.type))).toEqual([
      "attempt 1",
      "retry",
      "attempt 2",
      "retry",
      "attempt 3",
      "answer",
    ]);
    expect(chunks.filter((chunk) => chunk.type === "retry")).toEqual([
      { type: "retry", attempt: 2, waitMs: 250, error: expect.objectContaining({ code: "model_overloaded" }) },
      { type: "retry", attempt: 3, waitMs: 500, error: expect.objectContaining({ code: "model_stream_stalled" }) },
    ]);
  });

  it("waits longer each time, with full jitter, up to maxWaitMs", async () => {
    const { waits, starts, thrown } = await run(
      Array.from({ length: 6 }, () => failure("model_overloaded")),
      {
        attempts: 6,
        maxWaitMs: 3000,
      },
    );
    expect(starts).toBe(6);
    expect(waits).toEqual([250, 500, 1000, 1500, 1500]);
    expect(thrown).toMatchObject({ code: "model_overloaded", message: "it failed with model_overloaded (tried 6 times)" });
  });

  it("makes exactly as many attempts as it may", async () => {
    for (const attempts of [1, 2, 4]) {
      const { starts, thrown } = await run(
        Array.from({ length: 9 }, () => failure("model_unreachable")),
        { attempts },
      );
      expect(starts).toBe(attempts);
      expect(thrown).toMatchObject({ code: "model_unreachable" });
    }
  });

  it("does not repeat what will not become right", async () => {
    const { starts, thrown, chunks } = await run([failure("model_auth", { retry: "no" })]);
    expect(starts).toBe(1);
    expect(thrown).toMatchObject({ code: "model_auth", message: "it failed with model_auth" });
    expect(chunks.some((chunk) => chunk.type === "retry")).toBe(false);
  });

  it("tries garbage once more, even with other failures in between", async () => {
    const garbage = failure("model_stream_garbage", { retry: "once" });
    expect((await run([garbage, garbage])).starts).toBe(2);
    expect((await run([garbage, failure("model_overloaded"), garbage])).starts).toBe(3);
    expect((await run([garbage, ANSWER])).thrown).toBeUndefined();
  });

  it("waits as long as the server asks", async () => {
    const { waits, chunks } = await run([failure("model_overloaded", { retryAfterMs: 7000 }), ANSWER]);
    expect(waits).toEqual([7000]);
    expect(chunks.find((chunk) => chunk.type === "retry")).toMatchObject({ waitMs: 7000 });
  });

  it("fails at once when asked to wait longer than it may", async () => {
    const { starts, waits, thrown } = await run([failure("model_rate_limited", { retryAfterMs: 60_001, refusal: true })]);
    expect(starts).toBe(1);
    expect(waits).toEqual([]);
    expect(thrown).toMatchObject({ code: "model_rate_limited" });
  });

  it("waits in the gate after a refusal", async () => {
    const { starts, waits, chunks } = await run([failure("model_rate_limited", { refusal: true, retryAfterMs: 4000 }), ANSWER]);
    expect(starts).toBe(2);
    expect(waits).toEqual([4000]);
    expect(chunks.find((chunk) => chunk.type === "retry")).toMatchObject({ waitMs: 4000 });
  });

  it("gives its place back when it cannot even start", async () => {
    const gate = createGate({ maxConcurrent: 1 });
    const signal = new AbortController().signal;
    const attempts = runAttempts({
      gate,
      settings: { attempts: 4, maxWaitMs: 10 },
      signal,
      start: () => Promise.reject(new Error("no dispatcher")),
    });
    await expect(attempts.next()).rejects.toThrow("no dispatcher");
    expect(gate.enter(signal)).not.toBeInstanceOf(Promise);
  });
});
