/** Draws by a seeded source of numbers. */

export type Random = () => number;

export const pick = <T>(random: Random, items: readonly T[]): T => {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new RangeError("There is nothing to pick from.");
  return item;
};

export const upTo = (random: Random, most: number): number => Math.floor(random() * most);

/** One of several, the more likely the heavier it is. */
export const pickWeighted = <T>(random: Random, items: readonly (readonly [weight: number, item: T])[]): T => {
  let left = random() * items.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, item] of items) {
    left -= weight;
    if (left < 0) return item;
  }
  return pick(random, items)[1];
};
