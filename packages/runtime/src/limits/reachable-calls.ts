/** Keeps a tool budget within reach: at one call a turn it needs as many turns as calls, and one more to answer. */

type Calls = { readonly iterations?: number | undefined; readonly toolCalls?: number | undefined };

/** Whether a run may make all of its tool calls one by one, and then answer. */
export const hasReachableCalls = ({ iterations = Infinity, toolCalls = 0 }: Calls): boolean => iterations > toolCalls;

/** `limits` with room for the tool calls that somebody has set without a word on iterations. */
export const withReachableCalls = <L extends Calls>(limits: L, set: Calls): L =>
  set.toolCalls === undefined || set.iterations !== undefined || hasReachableCalls(limits)
    ? limits
    : { ...limits, iterations: set.toolCalls + 1 };
