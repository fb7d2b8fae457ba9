/** How a turn ended and what it took, on one line: with everything below it, and its own share where that is another. */
import type { RunResult } from "@retinue/protocol";
import { brief, count, money } from "../../cli/amounts.ts";
import { clock } from "./clock.ts";

export const drawBill = (result: RunResult): string => {
  const { total = result, remaining } = result;
  const own = total.costUsd === result.costUsd || result.costUsd === null ? "" : ` (own ${money(result.costUsd)})`;
  return [
    `${result.status} in ${clock(result.durationMs)}`,
    count(total.iterations, "turn"),
    count(total.toolCalls, "call"),
    `${brief(total.usage.input)} in, ${brief(total.usage.output)} out`,
    `${money(total.costUsd)}${own}`,
    ...(remaining?.costUsd === undefined ? [] : [`${money(remaining.costUsd)} left`]),
  ].join(" · ");
};
