/**
 * Works on a list by several workers. Items that hold a lock of the same name are never worked on at the same time; a worker takes the first item whose locks are
 * free, and waits only where there is none.
 */
export type WorkOptions<T> = {
  readonly workers: number;
  /** Names of what an item must have for itself; nothing by default. */
  readonly locksOf?: (item: T) => readonly string[];
};

/** Results are in the order of the list. Rejects with what the first item to fail threw. */
export const runWithWorkers = async <T, R>(
  items: readonly T[],
  { workers, locksOf = () => [] }: WorkOptions<T>,
  work: (item: T, index: number) => Promise<R>,
): Promise<readonly R[]> => {
  const results: R[] = [];
  const waiting = items.map((item, index) => ({ item, index, locks: new Set(locksOf(item)) }));
  const held = new Set<string>();
  let freed = Promise.withResolvers<void>();

  const take = () => {
    const at = waiting.findIndex(({ locks }) => locks.isDisjointFrom(held));
    return at < 0 ? undefined : waiting.splice(at, 1)[0];
  };
  const loop = async (): Promise<void> => {
    while (waiting.length > 0) {
      const taken = take();
      if (!taken) {
        await freed.promise;
        continue;
      }
      for (const name of taken.locks) held.add(name);
      try {
        results[taken.index] = await work(taken.item, taken.index);
      } finally {
        for (const name of taken.locks) held.delete(name);
        freed.resolve();
        freed = Promise.withResolvers();
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(workers, items.length)) }, loop));
  return results;
};
