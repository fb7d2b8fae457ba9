/**
 * One request, tried as often as it makes sense. Everything an attempt streamed before it failed is made void by the
 * `retry` chunk that follows it. A wait is never longer than `maxWaitMs`: who is asked to wait longer fails at once.
 */
import { RetinueError, toErrorValue } from "@retinue/protocol";
import type { ModelAnswer, ModelChunk } from "./contract.ts";
import type { Gate } from "./gate.ts";
import { backoffMs } from "./transport/backoff.ts";
import type { Failure } from "./transport/failure.ts";
import { SYSTEM_TIMING, wait } from "./transport/timing.ts";
import type { Timing } from "./transport/timing.ts";

export type RetrySettings = {
  /** All tries together, the first one included. */
  readonly attempts: number;
  readonly maxWaitMs: number;
};

export const DEFAULT_RETRY: RetrySettings = { attempts: 4, maxWaitMs: 60_000 };

/** A request under way. It tells `onSettled` once when its outcome is known, whether or not anybody reads on. */
export type Attempt = {
  /** What has come and was not yet taken. */
  readonly take: () => ModelChunk | undefined;
  readonly outcome: () => ModelAnswer | Failure | undefined;
  /** Settles when there may be more to take, or an outcome. */
  readonly changed: () => Promise<void>;
  /** Ends it at once; nothing happens if it has ended. */
  readonly cancel: () => void;
};

export type AttemptsOptions = {
  /** Not called before the gate lets it pass. */
  readonly start: (onSettled: (outcome: ModelAnswer | Failure) => void) => Attempt | Promise<Attempt>;
  readonly gate: Gate;
  readonly settings: RetrySettings;
  readonly signal: AbortSignal;
  readonly timing?: Timing;
  /** What the answer is handed on as. Here, and not around the stream: a second generator costs every chunk. */
  readonly toCounted?: (answer: ModelAnswer) => ModelAnswer;
};

export async function* runAttempts(options: AttemptsOptions): AsyncGenerator<ModelChunk, void, undefined> {
  const { gate, settings, signal, timing = SYSTEM_TIMING, toCounted } = options;
  let onceFailures = 0;
  for (let number = 1; ; number++) {
    const entered = gate.enter(signal);
    const pass = entered instanceof Promise ? await entered : entered;
    const onSettled = (settled: ModelAnswer | Failure): void => {
      if (settled.type === "answer") gate.leave(pass, { type: "ok" });
      // A wait that is longer than anybody waits closes no gate: other models of the provider may still answer.
      else if (settled.refusal && (settled.retryAfterMs ?? 0) <= settings.maxWaitMs)
        gate.leave(pass, { type: "refused", retryAfterMs: settled.retryAfterMs, maxWaitMs: settings.maxWaitMs });
      else gate.leave(pass, { type: "failed" });
    };
    let attempt: Attempt;
    try {
      const starting = options.start(onSettled);
      attempt = starting instanceof Promise ? await starting : starting;
    } catch (thrown) {
      gate.leave(pass, { type: "failed" });
      throw thrown;
    }
    let outcome: ModelAnswer | Failure | undefined;
    try {
      for (;;) {
        const chunk = attempt.take();
        if (chunk !== undefined) {
          yield chunk;
          continue;
        }
        outcome = attempt.outcome();
        if (outcome !== undefined) break;
        await attempt.changed();
      }
    } finally {
      attempt.cancel();
    }
    if (outcome.type === "answer") {
      yield toCounted ? toCounted(outcome) : outcome;
      return;
    }
    signal.throwIfAborted();
    if (outcome.retry === "once") onceFailures++;
    const waitMs = isFinal(outcome, number, onceFailures, settings)
      ? undefined
      : outcome.refusal
        ? gate.pausedMs()
        : (outcome.retryAfterMs ?? backoffMs(number, settings.maxWaitMs, timing.random));
    if (waitMs === undefined) throw number === 1 ? outcome.error : withTries(outcome.error, number);
    yield { type: "retry", attempt: number + 1, waitMs, error: toErrorValue(outcome.error) };
    // After a refusal the gate itself is closed for that long.
    if (!outcome.refusal) await wait(waitMs, signal, timing);
  }
}

const isFinal = (failure: Failure, number: number, onceFailures: number, settings: RetrySettings): boolean =>
  failure.retry === "no" ||
  number >= settings.attempts ||
  (failure.retry === "once" && onceFailures > 1) ||
  (failure.retryAfterMs ?? 0) > settings.maxWaitMs;

const withTries = (error: RetinueError, number: number): RetinueError =>
  new RetinueError(error.code, `${error.message} (tried ${number} times)`, {
    hint: error.hint,
    retryAfterMs: error.retryAfterMs,
  });
