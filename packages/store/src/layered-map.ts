/**
 * A map that is never changed: setting a key gives another one. The latest changes lie in a small map over a large one, so that a change copies the
 * small one alone, and n changes cost about n times the root of n.
 */

export type LayeredMap<Key, Value> = {
  readonly get: (key: Key) => Value | undefined;
  readonly set: (key: Key, value: Value) => LayeredMap<Key, Value>;
  /** In no particular order. */
  readonly entries: () => Iterable<readonly [Key, Value]>;
};

const MOST_IN_LAYER = 256;

export const createLayeredMap = <Key, Value>(given: Iterable<readonly [Key, Value]> = []): LayeredMap<Key, Value> =>
  layered(new Map(given), new Map());

const layered = <Key, Value>(large: ReadonlyMap<Key, Value>, small: ReadonlyMap<Key, Value>): LayeredMap<Key, Value> => ({
  get: (key) => small.get(key) ?? large.get(key),
  set: (key, value) => {
    const changed = new Map(small).set(key, value);
    return changed.size <= MOST_IN_LAYER ? layered(large, changed) : layered(joined(large, changed), new Map());
  },
  entries: () => (small.size === 0 ? large : joined(large, small)),
});

const joined = <Key, Value>(large: ReadonlyMap<Key, Value>, small: ReadonlyMap<Key, Value>): ReadonlyMap<Key, Value> => {
  const all = new Map(large);
  for (const [key, value] of small) all.set(key, value);
  return all;
};
