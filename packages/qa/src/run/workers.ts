/** Workers, and locks between them: a case waits until no other one holds a lock that it names. Whoever came first goes first. */
export type Locks = { readonly hold: <T>(names: readonly string[], work: () => Promise<T>) => Promise<T> };

export const createLocks = (): Locks => {
  const tails = new Map<string, Promise<unknown>>();
  return {
    hold: async (names, work) => {
      const own = [...new Set(names)];
      const before = own.flatMap((name) => tails.get(name) ?? []);
      const done = Promise.allSettled(before).then(work);
      const settled = done.catch(() => undefined);
      for (const name of own) tails.set(name, settled);
      return done;
    },
  };
};

/** Works on all of them, at most `workers` at the same time; results are in the order of the list. */
export const runWithWorkers = async <T, R>(
  items: readonly T[],
  workers: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<readonly R[]> => {
  const results: R[] = [];
  let next = 0;
  const loop = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) results[index] = await work(items[index] as T, index);
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(workers, items.length)) }, loop));
  return results;
};
