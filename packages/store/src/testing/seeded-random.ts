/** Random numbers that are the same for the same seed. */
export type SeededRandom = {
  /** A whole number from 0 up to, but not including, `below`. */
  readonly below: (below: number) => number;
  readonly of: <T>(choices: readonly T[]) => T;
};

export const createSeededRandom = (seed: number): SeededRandom => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    of: (choices) => {
      const choice = choices[below(choices.length)];
      if (choice === undefined) throw new Error("There is nothing to choose from.");
      return choice;
    },
  };
};
