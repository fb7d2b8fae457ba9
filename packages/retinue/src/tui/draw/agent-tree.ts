/**
 * The live tree of agents in no more rows than there are: what waits for a human first, then what failed, then what runs, then what is done. What does not
 * fit is counted in one row, never silently left out, and what waits is never folded away.
 */
import type { RunView } from "@retinue/client";
import type { RunId } from "@retinue/protocol";
import { widthOf } from "../../terminal/text-width.ts";
import type { Row } from "../screen/row.ts";
import { cutRow } from "../screen/fit-row.ts";
import { span } from "../screen/row.ts";
import { drawRun } from "./run-row.ts";
import type { RunNames } from "./run-names.ts";

export type TreeOptions = {
  readonly roots: readonly RunView[];
  readonly names: RunNames;
  readonly now: number;
  readonly width: number;
  readonly mostRows: number;
  readonly selected?: RunId | undefined;
  /** What the user folded or opened; the rest is folded once it has settled. */
  readonly folds: ReadonlyMap<RunId, boolean>;
  readonly lastEventAt: (runId: RunId) => number | undefined;
};

export type DrawnTree = {
  readonly rows: readonly Row[];
  /** The runs that are shown, from top to bottom. */
  readonly shown: readonly RunId[];
};

type Rank = 0 | 1 | 2 | 3;

/** The most urgent of a run and everything below it. */
const rankOf = (run: RunView, ranks: Map<RunId, Rank>): Rank => {
  const known = ranks.get(run.runId);
  if (known !== undefined) return known;
  let rank: Rank = 2;
  if (run.state.type === "waiting" && run.state.on === "approval") rank = 0;
  else if (run.state.type === "settled") rank = run.state.status === "completed" || run.state.status === "cancelled" ? 3 : 1;
  for (const child of run.children) {
    const below = rankOf(child, ranks);
    // What failed below something that is done has been dealt with there.
    if (below === 0 || (below < rank && run.state.type !== "settled")) rank = below;
  }
  ranks.set(run.runId, rank);
  return rank;
};

const countBelow = (run: RunView): number => run.children.reduce((sum, child) => sum + 1 + countBelow(child), 0);

type Line =
  | { readonly run: RunView; readonly branch: string; readonly foldedBelow: number }
  | { readonly more: string; readonly branch: string };

export const drawTree = ({ roots, names, now, width, mostRows, selected, folds, lastEventAt }: TreeOptions): DrawnTree => {
  const ranks = new Map<RunId, Rank>();
  const lines: Line[] = [];

  const isFolded = (run: RunView): boolean => {
    if (run.children.length === 0 || rankOf(run, ranks) === 0) return false;
    return folds.get(run.runId) ?? (run.state.type === "settled" && run.depth > 0);
  };

  const add = (run: RunView, branch: string, below: string, showsDone: boolean): void => {
    const folded = isFolded(run);
    lines.push({ run, branch, foldedBelow: folded ? countBelow(run) : 0 });
    if (folded) return;
    const isOpened = folds.get(run.runId) === false;
    const kept = showsDone || isOpened ? run.children : run.children.filter((child) => rankOf(child, ranks) < 3);
    const hidden = run.children.length - kept.length;
    for (const [index, child] of kept.entries()) {
      const isLast = index === kept.length - 1 && hidden === 0;
      add(child, `${below}${isLast ? "└ " : "├ "}`, `${below}${isLast ? "  " : "│ "}`, showsDone);
    }
    if (hidden > 0) lines.push({ more: `+${hidden} done`, branch: `${below}└ ` });
  };

  const addAll = (showsDone: boolean): void => {
    lines.length = 0;
    for (const root of roots) add(root, "", "", showsDone);
  };

  addAll(true);
  if (lines.length > mostRows) addAll(false);
  const shown = lines.length > mostRows ? mostUrgent(lines, ranks, mostRows) : lines;
  const nameWidth = Math.min(
    Math.max(12, Math.floor(width / 3)),
    Math.max(0, ...shown.map((line) => ("run" in line ? widthOf(line.branch) + widthOf(names.get(line.run.runId) ?? "") : 0))),
  );
  return {
    shown: shown.flatMap((line) => ("run" in line ? [line.run.runId] : [])),
    rows: shown.map((line) =>
      "run" in line
        ? drawRun(line.run, {
            names,
            now,
            width,
            branch: line.branch,
            nameWidth,
            foldedBelow: line.foldedBelow,
            isSelected: line.run.runId === selected,
            lastEventAt: lastEventAt(line.run.runId),
          })
        : cutRow([span(` ${line.branch}${line.more}`, "dim")], width),
    ),
  };
};

/** Those above a run that is kept are kept with it as far as there is room; the order stays that of the tree. */
const mostUrgent = (lines: readonly Line[], ranks: ReadonlyMap<RunId, Rank>, mostRows: number): readonly Line[] => {
  const order = lines
    .map((line, index) => ({ index, rank: "run" in line ? (line.run.depth === 0 ? -1 : (ranks.get(line.run.runId) ?? 2)) : 4 }))
    .toSorted((a, b) => a.rank - b.rank || a.index - b.index);
  const kept = new Set(order.slice(0, Math.max(1, mostRows - 1)).map(({ index }) => index));
  const left = lines.filter((line, index) => "run" in line && !kept.has(index));
  return [...lines.filter((_, index) => kept.has(index)), { more: `+${left.length} more`, branch: "└ " }];
};
