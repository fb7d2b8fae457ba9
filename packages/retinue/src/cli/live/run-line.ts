/** Who works on what, how long, and what it took so far: runs with everything below them in one line. */
import type { RunView, Spending } from "@retinue/client";
import { brief, money } from "../amounts.ts";
import { clock } from "../../tui/draw/clock.ts";
import { describeActivity } from "../../tui/draw/run-activity.ts";
import { nameRuns } from "../../tui/draw/run-names.ts";
import { elapsedOf } from "../../tui/draw/run-row.ts";
import { withRight } from "../../tui/screen/fit-row.ts";
import type { Row } from "../../tui/screen/row.ts";
import { row, span } from "../../tui/screen/row.ts";

/** Those that really work, and not only wait for another. */
const atWork = (run: RunView): readonly RunView[] => {
  if (run.state.type === "settled") return [];
  const below = run.children.flatMap(atWork);
  return below.length > 0 ? below : [run];
};

export type RunLineOptions = {
  readonly now: number;
  readonly width: number;
  /** The sign that turns before it. */
  readonly sign: string;
};

export const drawRunLine = (roots: readonly RunView[], { now, width, sign }: RunLineOptions): Row => {
  const names = nameRuns(roots);
  const workers = roots.flatMap(atWork);
  const worker = workers.find(({ state }) => state.type === "waiting") ?? workers.at(-1) ?? roots.at(-1);
  if (worker === undefined) return [];
  const sum = (amount: (spent: Spending) => number): number => roots.reduce((all, { inclusive }) => all + amount(inclusive), 0);
  const tokens = sum(({ usage }) => usage.input + usage.output);
  const elapsed = Math.max(0, ...roots.map((root) => elapsedOf(root, now) ?? 0));
  const more = workers.length > 1 ? `  +${workers.length - 1} more` : "";
  const left = row(
    span(`${sign} `, "running"),
    span(names.get(worker.runId) ?? "", "bold"),
    `  ${describeActivity(worker, names)}`,
    span(more, "dim"),
  );
  const right = `${clock(elapsed)}  ${brief(tokens)} tokens  ${money(sum(({ costUsd }) => costUsd))}`;
  return withRight(left, [span(right, "dim")], width);
};
