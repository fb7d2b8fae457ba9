/**
 * Tokens of one model call or of many. `cached` is the part of `input` read from a cache, `reasoning` the part of `output`. `written` is the part of `input`
 * that one call put into a cache, where its provider takes a price of its own for that; sums do not have it.
 */
export type Usage = {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly reasoning: number;
  readonly written?: number;
};

export const NO_USAGE: Usage = { input: 0, output: 0, cached: 0, reasoning: 0 };

/** What calls of models took. `costUsd` is null where no price is known. */
export type Spent = { readonly usage: Usage; readonly costUsd: number | null };

/** No single model call reads or writes more tokens. */
export const MAX_CALL_TOKENS = 1e9;
/** No sum of calls is larger; sums of a few such sums are still exact in a JavaScript number. */
export const MAX_TOTAL_TOKENS = 1e14;
const MAX_COST_USD = 1e9;

/** Whether the value can be a number of tokens. NaN, negative and absurdly large numbers cannot. */
export const isTokenCount = (value: unknown, most = MAX_CALL_TOKENS): value is number =>
  typeof value === "number" && value >= 0 && value <= most;

/**
 * The figures with impossible values replaced: such a count is 0, and the cost that was derived from it is unknown. Gives the same object
 * where nothing is wrong.
 */
export const toPossibleSpent = <T extends Spent>(spent: T, most = MAX_CALL_TOKENS): T => {
  const usage = toPossibleUsage(spent.usage, most);
  const isCost = spent.costUsd === null || (spent.costUsd >= 0 && spent.costUsd <= MAX_COST_USD);
  return usage === spent.usage && isCost ? spent : { ...spent, usage, costUsd: null };
};

const toPossibleUsage = (usage: Usage, most: number): Usage => {
  const { input, output, cached, reasoning } = usage;
  const arePossible =
    isTokenCount(input, most) && isTokenCount(output, most) && isTokenCount(cached, most) && isTokenCount(reasoning, most);
  if (arePossible) return usage;
  const toCount = (value: number): number => (isTokenCount(value, most) ? value : 0);
  return { input: toCount(input), output: toCount(output), cached: toCount(cached), reasoning: toCount(reasoning) };
};
