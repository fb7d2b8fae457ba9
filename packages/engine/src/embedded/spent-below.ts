/** What a run and everything below it has spent, as a record says. */
import type { RunId } from "@retinue/protocol";
import { NO_USAGE } from "@retinue/protocol";
import type { RunState, Spending } from "@retinue/runtime";
import { addUsage, spentBy } from "@retinue/runtime";

export const spentBelow = (run: RunState, known: ReadonlyMap<RunId, RunState>): Spending => {
  const childrenOf = Map.groupBy(known.values(), ({ identity }) => identity.parentRunId);
  const sum = { iterations: 0, toolCalls: 0, tokens: 0, costUsd: 0 };
  let usage = NO_USAGE;
  let unpriced = false;
  const open = [run];
  for (let state = open.pop(); state; state = open.pop()) {
    const spent = spentBy(state);
    for (const axis of ["iterations", "toolCalls", "tokens", "costUsd"] as const) sum[axis] += spent[axis];
    usage = addUsage(usage, spent.usage);
    unpriced ||= spent.unpriced;
    open.push(...(childrenOf.get(state.identity.runId) ?? []));
  }
  return { ...sum, usage, unpriced };
};
