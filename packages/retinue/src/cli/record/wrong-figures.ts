/** Names the rows whose figures no sum of model calls can be: the row was changed by somebody, or is damaged. */

type Figures = { readonly promptTokens: number; readonly completionTokens: number };

/** More tokens than all models of a company answer in years. */
const MOST_TOKENS = 1e15;

const isPossible = (count: number): boolean => count >= 0 && count < MOST_TOKENS;

export const wrongFigures = <R extends Figures>(rows: readonly R[], nameOf: (row: R) => string): readonly string[] =>
  rows
    .filter(({ promptTokens, completionTokens }) => !isPossible(promptTokens) || !isPossible(completionTokens))
    .map((row) => `retinue: The figures of ${nameOf(row)} are wrong in the record; retinue sessions verify tells more.`);
