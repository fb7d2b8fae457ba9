/** Limits in a few words. */
import type { Limits } from "@retinue/protocol";
import { brief, count, duration, money } from "../amounts.ts";

/** One entry for each limit that is set. */
export const formatLimits = (limits: Limits): readonly string[] => [
  ...(limits.iterations === undefined ? [] : [count(limits.iterations, "iteration")]),
  ...(limits.toolCalls === undefined ? [] : [count(limits.toolCalls, "tool call")]),
  ...(limits.durationMs === undefined ? [] : [duration(limits.durationMs)]),
  ...(limits.contextTokens === undefined ? [] : [`${brief(limits.contextTokens)} of context`]),
  ...(limits.tokens === undefined ? [] : [`${brief(limits.tokens)} tokens`]),
  ...(limits.costUsd === undefined ? [] : [money(limits.costUsd)]),
];
