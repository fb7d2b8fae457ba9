/** The line that tells where one is: project, model, what was spent of what may be, who works, and how many questions wait. */
import type { Spending } from "@retinue/client";
import { money } from "../../cli/amounts.ts";
import type { Row } from "../screen/row.ts";
import { row, safeName, span } from "../screen/row.ts";
import { withRight } from "../screen/fit-row.ts";

export type HeaderOptions = {
  readonly project: string;
  readonly model: string;
  readonly spent: Spending | undefined;
  readonly mostCostUsd?: number | undefined;
  /** Runs that have not settled, beside the main one. */
  readonly others: number;
  readonly isWorking: boolean;
  readonly waiting: number;
  readonly width: number;
};

export const drawHeader = ({ project, model, spent, mostCostUsd, others, isWorking, waiting, width }: HeaderOptions): Row => {
  const cost = spent === undefined ? money(0) : `${money(spent.costUsd)}${spent.unpricedCalls > 0 ? "?" : ""}`;
  const who = isWorking ? `main${others > 0 ? ` + ${others}` : ""}` : "ready";
  const right = row(
    span(mostCostUsd === undefined ? cost : `${cost} of ${money(mostCostUsd)}`, "dim"),
    span(`   ${who}`, isWorking ? "running" : "dim"),
    ...(waiting > 0 ? [span(`   ! ${waiting}`, "waiting")] : []),
  );
  const left = row(span(" retinue", "bold"), `  ${safeName(project)}`, span(`  ${safeName(model)}`, "dim"));
  return withRight(left, right, width);
};
