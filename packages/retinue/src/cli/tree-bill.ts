/** What runs spent, in words: one of them alone, or with everything below it. */
import type { RunView, Spending } from "@retinue/client";
import type { RunResult } from "@retinue/protocol";
import { count, money } from "./amounts.ts";

export const formatSpent = ({ usage, costUsd, unpricedCalls }: Pick<Spending, "usage" | "costUsd" | "unpricedCalls">): string =>
  `${usage.input} tokens in, ${usage.output} out, ${money(costUsd)}` +
  (unpricedCalls > 0 ? ` and ${count(unpricedCalls, "call")} without a known price` : "");

/** The bill of a run with those below it, for results that do not tell it themselves; nothing where there are none, because it is the run's own then. */
export const treeBillOf = ({ inclusive, children }: RunView, { total }: RunResult): string | undefined =>
  children.length === 0 || total !== undefined
    ? undefined
    : `with ${count(inclusive.runs - 1, "run")} below: ${formatSpent(inclusive)}`;
