/** Whoever changes files of this machine in this process does so in turn, file by file: two that looked at the same file cannot both write it. */

const turns = new Map<string, Promise<void>>();

/** `files` are absolute. Several are waited for in one order, so that nobody waits for each other. */
export const inFileTurn = async <T>(files: readonly string[], work: () => Promise<T>): Promise<T> => {
  const taken = [...new Set(files)].toSorted();
  const ends: (() => void)[] = [];
  for (const file of taken) ends.push(await take(file));
  try {
    return await work();
  } finally {
    for (const end of ends) end();
  }
};

const take = async (file: string): Promise<() => void> => {
  const before = turns.get(file);
  const { promise, resolve } = Promise.withResolvers<void>();
  const mine = (before ?? Promise.resolve()).then(() => promise);
  turns.set(file, mine);
  await before;
  return () => {
    if (turns.get(file) === mine) turns.delete(file);
    resolve();
  };
};
