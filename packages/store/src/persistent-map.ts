/**
 * A map that never changes: setting gives another, and the first stays as it was, for whoever has to go back to it. It shares with the other
 * what is the same, so that a map of thousands costs little more to change than a small one.
 */
export type PersistentMap<V> = { readonly size: number; readonly buckets: readonly ReadonlyMap<string, V>[] };

/** Up to so many entries stand in one bucket. */
const SMALL = 64;
const BUCKETS = 256;

export const EMPTY_MAP: PersistentMap<never> = { size: 0, buckets: [new Map<string, never>()] };

/** Ends of keys differ more than their beginnings, and keys may be long. */
const toBucket = (key: string, buckets: number): number => {
  if (buckets === 1) return 0;
  let hash = key.length;
  for (let at = Math.max(0, key.length - 32); at < key.length; at += 1) hash = (hash * 31 + key.charCodeAt(at)) | 0;
  return (hash >>> 0) % buckets;
};

export const getEntry = <V>({ buckets }: PersistentMap<V>, key: string): V | undefined =>
  buckets[toBucket(key, buckets.length)]?.get(key);

export const withEntry = <V>(map: PersistentMap<V>, key: string, value: V): PersistentMap<V> => {
  const { size, buckets } = map.buckets.length === 1 && map.size >= SMALL ? fromEntries(eachEntry(map), BUCKETS) : map;
  const at = toBucket(key, buckets.length);
  const bucket = buckets[at];
  return {
    size: bucket?.has(key) === true ? size : size + 1,
    buckets: buckets.with(at, new Map(bucket).set(key, value)),
  };
};

/** Those entries alone that a test lets pass. */
export const filterEntries = <V>(map: PersistentMap<V>, test: (value: V) => boolean): PersistentMap<V> => {
  if (map.size === 0) return map;
  const kept = [...eachEntry(map)].filter(([, value]) => test(value));
  if (kept.length === map.size) return map;
  return kept.length === 0 ? EMPTY_MAP : fromEntries(kept, kept.length > SMALL ? BUCKETS : 1);
};

export function* eachValue<V>({ buckets }: PersistentMap<V>): Generator<V> {
  for (const bucket of buckets) yield* bucket.values();
}

function* eachEntry<V>({ buckets }: PersistentMap<V>): Generator<readonly [string, V]> {
  for (const bucket of buckets) yield* bucket;
}

const fromEntries = <V>(entries: Iterable<readonly [string, V]>, count: number): PersistentMap<V> => {
  const buckets = Array.from({ length: count }, () => new Map<string, V>());
  let size = 0;
  for (const [key, value] of entries) {
    buckets[toBucket(key, count)]?.set(key, value);
    size += 1;
  }
  return { size, buckets };
};
