/** Numbers by chance that are the same for the same seed (mulberry32). */
export const createRandom = (seed: number) => {
  let state = seed;
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * limit);
  };
  const pick = <T>(all: readonly T[]): T => all[below(all.length)] as T;
  return {
    below,
    pick,
    some: <T>(all: readonly T[], most: number): T[] => Array.from({ length: below(most + 1) }, () => pick(all)),
  };
};

export type Random = ReturnType<typeof createRandom>;
