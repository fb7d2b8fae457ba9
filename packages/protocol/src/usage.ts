/** Tokens of one model call or of many. `cached` is the part of `input` read from a cache, `reasoning` the part of `output`. */
export type Usage = {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly reasoning: number;
};

export const NO_USAGE: Usage = { input: 0, output: 0, cached: 0, reasoning: 0 };
