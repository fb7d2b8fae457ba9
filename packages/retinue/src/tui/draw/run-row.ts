/** One run as one row: glyph, name, what it does, and at the right edge how long, how many turns of how many, and what it cost. */
import { toLimitUses, type RunView, type Spending } from "@retinue/client";
import { padToWidth, widthOf } from "../../terminal/text-width.ts";
import { money } from "../../cli/amounts.ts";
import type { Row } from "../screen/row.ts";
import { row, span } from "../screen/row.ts";
import { withRight } from "../screen/fit-row.ts";
import { clock } from "./clock.ts";
import { describeActivity, describeQuiet } from "./run-activity.ts";
import type { RunNames } from "./run-names.ts";
import { statusSign } from "./status-sign.ts";

export type RunRowOptions = {
  readonly names: RunNames;
  readonly now: number;
  readonly width: number;
  readonly lastEventAt?: number | undefined;
  /** Drawn before the glyph: the branches that lead to it. */
  readonly branch: string;
  /** Names stand below each other up to this width. */
  readonly nameWidth: number;
  readonly isSelected?: boolean;
  /** Runs below it that are folded away. */
  readonly foldedBelow?: number;
};

export const elapsedOf = ({ startedAt, endedAt, requested }: RunView, now: number): number | undefined => {
  const from = startedAt ?? requested?.at;
  return from === undefined ? undefined : (endedAt === null ? now : Date.parse(endedAt)) - Date.parse(from);
};

const amount = ({ costUsd, unpricedCalls }: Spending): string => (unpricedCalls > 0 && costUsd === 0 ? "" : money(costUsd));

/** Its own, and with all below where that is more. */
export const costOf = ({ own, inclusive }: RunView): string => {
  const [mine, all] = [amount(own), amount(inclusive)];
  return mine === all || all === "" ? mine : `${mine}/${all}`;
};

export const turnsOf = (run: RunView): string => {
  const use = toLimitUses(run).find(({ limit }) => limit === "iterations");
  return use === undefined ? String(run.own.iterations) : `${use.used}/${use.max}`;
};

const measures = (run: RunView, { now, width }: RunRowOptions): Row => {
  if (run.state.type === "waiting" && run.state.on === "approval") {
    const asked = run.approvals.find(({ isClosed }) => !isClosed);
    return asked ? [span(`waits ${clock(now - Date.parse(asked.requestedAt))}`, "waiting")] : [];
  }
  const elapsed = elapsedOf(run, now);
  const parts = [
    elapsed === undefined ? "" : clock(elapsed).padStart(5),
    ...(width < 56 ? [] : [turnsOf(run).padStart(5)]),
    ...(width < 44 ? [] : [costOf(run).padStart(5)]),
  ];
  return [span(parts.join(" ").trimEnd(), "dim")];
};

export const drawRun = (run: RunView, options: RunRowOptions): Row => {
  const { names, now, width, branch, nameWidth, isSelected = false, foldedBelow = 0 } = options;
  const sign = statusSign(run.state);
  const name = names.get(run.runId) ?? "";
  const quiet = describeQuiet(run, options.lastEventAt, now);
  // A glyph alone does not say how it ended.
  const isPlain = run.state.type === "running" || (run.state.type === "waiting" && quiet === "");
  const word = isPlain || (sign.style === "completed" && width < 60) ? "" : `${sign.word}  `;
  const left = row(
    span(isSelected ? "›" : " ", "bold"),
    span(branch, "dim"),
    span(`${sign.glyph} `, sign.style),
    span(padToWidth(name, Math.max(widthOf(name), nameWidth - widthOf(branch))), "bold"),
    "  ",
    quiet === "" ? span(word, sign.style) : span(`${quiet}  `, "waiting"),
    span(describeActivity(run, names), run.state.type === "settled" ? "dim" : undefined),
    foldedBelow === 0 ? "" : span(`  +${foldedBelow} below`, "dim"),
  );
  return withRight(left, measures(run, options), width);
};
