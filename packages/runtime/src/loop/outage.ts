/**
 * An outage: every model that a turn could ask is away. The run waits and asks again, from its first model on, until a time budget is used up; then it is
 * left open, to be resumed when a server is back. Only what may pass is an outage. A refused key and garbage in place of answers may pass where the provider
 * has answered before: the key has expired, or a captive portal stands between. At first contact they are a wrong setting, and fail the run.
 */
import type { ErrorCode, ErrorValue } from "@retinue/protocol";

export type Outage = {
  /** The model that was asked last, and how it failed. */
  readonly model: string;
  readonly error: ErrorValue;
  /** How often all models of the turn were asked in vain. */
  readonly tries: number;
  /** Since the first of those tries ended. */
  readonly lastedMs: number;
  /** After how long the server wants to be asked again, where it said so. */
  readonly retryAfterMs?: number | undefined;
};

export type OutageDecision =
  | {
      readonly type: "wait";
      readonly waitMs: number;
      /** Until the budget is used up. */
      readonly leftMs: number;
    }
  /** The run stays open in the record, to be resumed. */
  | { readonly type: "leave" }
  | { readonly type: "fail" };

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;

/** Waits longer from try to try, for so long in all. The last try is made when the budget ends. */
export const waitOutage =
  (budgetMs: number) =>
  ({ tries, lastedMs, retryAfterMs = 0 }: Omit<Outage, "model" | "error">): OutageDecision => {
    const leftMs = budgetMs - lastedMs;
    if (leftMs <= 0 || retryAfterMs > leftMs) return { type: "leave" };
    const backoffMs = Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS, leftMs);
    return { type: "wait", waitMs: Math.max(backoffMs, retryAfterMs), leftMs };
  };

const AWAY: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["model_unreachable", "model_overloaded", "model_rate_limited"]);
/** The same of a provider that has answered before. */
const AWAY_LATER: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["model_stream_garbage", "model_misaddressed", "model_auth"]);

/** Whether a model that failed like this may answer later, without a change of the settings. */
export const isAway = (code: ErrorCode, hasAnswered = false): boolean => AWAY.has(code) || (hasAnswered && AWAY_LATER.has(code));
