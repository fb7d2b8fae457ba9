/**
 * An outage: every model that a turn could ask is away. The run waits and asks again, from its first model on, until a time budget is used up; then it is
 * left open, to be resumed when a server is back. Only what may pass is an outage: a refused key or a wrong address fails the run as before.
 */
import type { ErrorCode } from "@retinue/protocol";

export type Outage = {
  /** How often all models of the turn were asked in vain. */
  readonly tries: number;
  /** Since the first of those tries ended. */
  readonly lastedMs: number;
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
  ({ tries, lastedMs }: Outage): OutageDecision => {
    const leftMs = budgetMs - lastedMs;
    if (leftMs <= 0) return { type: "leave" };
    return { type: "wait", waitMs: Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS, leftMs), leftMs };
  };

const AWAY: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["model_unreachable", "model_overloaded"]);

/** Whether a model that failed like this may answer later, without anybody changing anything. */
export const isAway = (code: ErrorCode): boolean => AWAY.has(code);
