/** Who works on what, how long, and what it took so far: a run with everything below it in one line. */
import type { RunView } from "@retinue/client";
import { brief, money } from "../amounts.ts";
import { clock } from "../../tui/draw/clock.ts";
import { describeActivity } from "../../tui/draw/run-activity.ts";
import { nameRuns } from "../../tui/draw/run-names.ts";
import { elapsedOf } from "../../tui/draw/run-row.ts";
import { withRight } from "../../tui/screen/fit-row.ts";
import type { Row } from "../../tui/screen/row.ts";
import { row, span } from "../../tui/screen/row.ts";

const SIGNS = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧"];

/** Those that really work, and not only wait for another. */
const atWork = (run: RunView): readonly RunView[] => {
  if (run.state.type === "settled") return [];
  const below = run.children.flatMap(atWork);
  return below.length > 0 ? below : [run];
};

export const drawRunLine = (root: RunView, { now, width }: { readonly now: number; readonly width: number }): Row => {
  const names = nameRuns([root]);
  const workers = atWork(root);
  const worker = workers.find(({ state }) => state.type === "waiting") ?? workers.at(-1) ?? root;
  const { usage, costUsd } = root.inclusive;
  const more = workers.length > 1 ? `  +${workers.length - 1} more` : "";
  const left = row(
    span(`${SIGNS[Math.floor(now / 125) % SIGNS.length] ?? ""} `, "running"),
    span(names.get(worker.runId) ?? "", "bold"),
    `  ${describeActivity(worker, names)}`,
    span(more, "dim"),
  );
  const right = `${clock(elapsedOf(root, now) ?? 0)}  ${brief(usage.input + usage.output)} tokens  ${money(costUsd)}`;
  return withRight(left, [span(right, "dim")], width);
};
