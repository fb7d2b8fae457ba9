/** What many sessions come to. */
import type { SeedOutcome } from "./run-seed.ts";

export type Figures = {
  readonly sessions: number;
  readonly met: number;
  /** Ended with exit code 0, the goal not met, and nobody told. */
  readonly silent: number;
  /** The goal is met, and the exit code says that something is wrong. */
  readonly doubted: number;
  readonly modelCalls: number;
  readonly refused: number;
  /** The share of refusals after which a model that follows them made no other. */
  readonly recovered: number;
};

export const toFigures = (outcomes: readonly SeedOutcome[]): Figures => {
  const sum = (of: (outcome: SeedOutcome) => number): number => outcomes.reduce((all, outcome) => all + of(outcome), 0);
  const followed = sum((one) => one.followed);
  return {
    sessions: outcomes.length,
    met: sum((one) => Number(one.isMet)),
    silent: sum((one) => Number(!one.isMet && !one.isSaid)),
    doubted: sum((one) => Number(one.isMet && one.exitCode !== 0)),
    modelCalls: sum((one) => one.modelCalls),
    refused: sum((one) => one.refusedCalls),
    recovered: followed === 0 ? 1 : sum((one) => one.recovered) / followed,
  };
};

export const describeFigures = ({ sessions, met, silent, doubted, modelCalls, refused, recovered }: Figures): string =>
  `${met} of ${sessions} goals met; ${silent} ended with exit code 0, not met and not said; ${doubted} met and doubted; ` +
  `${refused} of ${modelCalls} model calls spent on refusals; ${recovered.toFixed(2)} of refusals recovered from within one turn`;
