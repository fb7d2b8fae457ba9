/**
 * The limits tree. Every run has a purse inside its parent's: what it spends is spent from every purse above it, and what it is about to
 * spend is reserved in all of them first, so that runs side by side cannot spend the same twice. A purse also keeps back what its own run
 * needs to hand in, which nobody below may touch.
 */
import type { Limits, Usage } from "@retinue/protocol";
import { NO_USAGE } from "@retinue/protocol";

export type PurseAxis = "iterations" | "toolCalls" | "tokens" | "costUsd";

export type Amounts = { readonly [Axis in PurseAxis]?: number };

/** What was really spent: the amounts, and for the bill the tokens by kind and whether a price was missing. */
export type Spending = Amounts & { readonly usage?: Usage; readonly unpriced?: boolean };

export type Purse = {
  readonly parent: Purse | null;
  /** For the run and everything below it. */
  readonly limits: Amounts;
  /** By the run and everything below it. */
  readonly used: Record<PurseAxis, number>;
  readonly reserved: Record<PurseAxis, number>;
  readonly kept: Record<PurseAxis, number>;
  /** Tokens by kind, of the run and everything below it. */
  usage: Usage;
  /** Some calls had no price, so that the cost is not known. */
  unpriced: boolean;
};

const nothing = (): Record<PurseAxis, number> => ({ iterations: 0, toolCalls: 0, tokens: 0, costUsd: 0 });

/** `used` is what a record says was spent before. It is not added above: each purse is told its own. */
export const createPurse = (
  limits: Limits,
  parent: Purse | null = null,
  { usage = NO_USAGE, unpriced = false, ...used }: Spending = {},
): Purse => ({
  parent,
  limits,
  used: { ...nothing(), ...used },
  reserved: nothing(),
  kept: nothing(),
  usage,
  unpriced,
});

export type Tightest = { readonly left: number; readonly used: number; readonly max: number };

/** What is left on an axis, and by which of the purses from here up. A purse without a limit on it leaves everything. */
export const leftIn = (purse: Purse, axis: PurseAxis): Tightest => {
  let tightest: Tightest = { left: Infinity, used: 0, max: Infinity };
  for (let one: Purse | null = purse; one; one = one.parent) {
    const max = one.limits[axis];
    if (max === undefined) continue;
    const left = max - one.used[axis] - one.reserved[axis] - (one === purse ? 0 : one.kept[axis]);
    if (left < tightest.left) tightest = { left, used: one.used[axis], max };
  }
  return tightest;
};

/** Takes amounts out of every purse from here up until they are settled. */
export type Reservation = {
  /** Gives back what was reserved and books what was really spent. Only the first call counts. */
  readonly settle: (spent: Spending) => void;
};

export const reserve = (purse: Purse, amounts: Amounts): Reservation => {
  add(purse, "reserved", amounts, 1);
  return new OpenReservation(purse, amounts);
};

/** A class, since every call makes one. */
class OpenReservation implements Reservation {
  readonly #purse: Purse;
  readonly #amounts: Amounts;
  #isOpen = true;

  constructor(purse: Purse, amounts: Amounts) {
    this.#purse = purse;
    this.#amounts = amounts;
  }

  settle(spent: Spending): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    add(this.#purse, "reserved", this.#amounts, -1);
    add(this.#purse, "used", spent, 1);
    if (spent.usage || spent.unpriced === true) bill(this.#purse, spent);
  }
}

/** Keeps amounts back from everything below, in place of what was kept before. */
export const keepBack = (purse: Purse, amounts: Amounts): void => {
  const { iterations = 0, toolCalls = 0, tokens = 0, costUsd = 0 } = amounts;
  const { kept } = purse;
  kept.iterations = iterations;
  kept.toolCalls = toolCalls;
  kept.tokens = tokens;
  kept.costUsd = costUsd;
};

const bill = (purse: Purse, { usage = NO_USAGE, unpriced = false }: Spending): void => {
  for (let one: Purse | null = purse; one; one = one.parent) {
    const { input, output, cached, reasoning } = one.usage;
    one.usage = {
      input: input + usage.input,
      output: output + usage.output,
      cached: cached + usage.cached,
      reasoning: reasoning + usage.reasoning,
    };
    one.unpriced ||= unpriced;
  }
};

const add = (purse: Purse, column: "used" | "reserved", amounts: Amounts, sign: 1 | -1): void => {
  const { iterations = 0, toolCalls = 0, tokens = 0, costUsd = 0 } = amounts;
  for (let one: Purse | null = purse; one; one = one.parent) {
    const sums = one[column];
    sums.iterations += sign * iterations;
    sums.toolCalls += sign * toolCalls;
    sums.tokens += sign * tokens;
    sums.costUsd += sign * costUsd;
  }
};
