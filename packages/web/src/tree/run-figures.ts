/** The numbers of a node: time, iterations, tokens and cost of its own and with all below, and what is left of its tightest limit. */
import { toPrintable } from "@retinue/client/text";
import { type LimitUse, type RunView, toLimitUses, toTaskLine } from "@retinue/client";
import type { LimitName } from "@retinue/protocol";
import { clock, count, money } from "../parts/amounts.ts";
import type { Budget } from "../parts/budget-bar.tsx";

export const tokensOf = ({ usage }: RunView["own"]): number => usage.input + usage.output;

/** So long it has worked by the clock, also while it waits. */
export const elapsedMs = (run: RunView, now: number): number | null => {
  const from = run.startedAt ?? run.requestedAt;
  if (from === null) return null;
  return Math.max(0, (run.endedAt === null ? now : Date.parse(run.endedAt)) - Date.parse(from));
};

export const LIMIT_WORDS: Readonly<Record<LimitName, string>> = {
  iterations: "iterations",
  toolCalls: "tool calls",
  durationMs: "time",
  contextTokens: "context",
  tokens: "tokens",
  costUsd: "cost",
};

export const formatLimit = (limit: LimitName, value: number): string =>
  limit === "costUsd" ? money(value) : limit === "durationMs" ? clock(value) : count(value);

/** What runs below that are at work may still take of this limit. */
const reservedBelow = (run: RunView, limit: LimitName): number =>
  run.children.reduce((sum, child) => {
    if (child.state.type === "settled") return sum;
    const use = toLimitUses(child).find((one) => one.limit === limit && one.of === "run");
    return sum + (use?.remaining ?? 0);
  }, 0);

/** Money first: it is what people ask about; else the limit that is nearest to its end. */
export const tightestLimit = (run: RunView): LimitUse | undefined => {
  const uses = toLimitUses(run).filter(({ max, limit }) => max > 0 && limit !== "contextTokens");
  return uses.find(({ limit }) => limit === "costUsd") ?? uses.toSorted((a, b) => b.used / b.max - a.used / a.max)[0];
};

export const toBudget = (run: RunView, { limit, used, max }: LimitUse): Budget => ({
  used,
  max,
  // Only what is spent together can be reserved by those below.
  reserved: limit !== "costUsd" && limit !== "tokens" ? 0 : Math.min(Math.max(0, max - used), reservedBelow(run, limit)),
});

export const describeBudget = (budget: Budget, limit: LimitName): string => {
  const left = Math.max(0, budget.max - budget.used - budget.reserved);
  const reserved = budget.reserved > 0 ? `, ${formatLimit(limit, budget.reserved)} reserved below` : "";
  return `${LIMIT_WORDS[limit]}: ${formatLimit(limit, budget.used)} of ${formatLimit(limit, budget.max)} used${reserved}, ${formatLimit(limit, left)} left`;
};

/** `3/50`, or `3` where there is no such limit. */
export const iterationsOf = (run: RunView): string => {
  const max = run.limits.iterations;
  return max === undefined ? String(run.own.iterations) : `${run.own.iterations}/${max}`;
};

/** The first line of what a run was asked. */
export const taskLine = (run: RunView): string => toPrintable(toTaskLine(run.task), "line");

export const taskText = (run: RunView): string =>
  run.task.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
