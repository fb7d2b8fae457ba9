/** The name that was probably meant, for messages about names that are not there. */

/** Longer than any name: what is longer is not compared. */
const LONGEST = 200;

/** Insertions, deletions, replacements and swaps of neighbours that lead from one word to the other. */
export const editDistance = (one: string, other: string): number => {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      let distance = Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + (same ? 0 : 1));
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1])
        distance = Math.min(distance, (beforeLast[column - 2] ?? 0) + 1);
      current.push(distance);
    }
    beforeLast = last;
    last = current;
  }
  return last[other.length] ?? 0;
};

type Near = { readonly name: string; readonly edits: number };

const findNearest = (word: string, names: Iterable<string>, toCompared: (name: string) => string): Near | undefined => {
  if (word.length > LONGEST) return undefined;
  let best: Near | undefined;
  for (const name of names) {
    if (name.length > LONGEST) continue;
    const edits = editDistance(toCompared(word), toCompared(name));
    if (!best || edits < best.edits) best = { name, edits };
  }
  return best;
};

const lower = (name: string): string => name.toLowerCase();

/** `maxDepth`, `max_depth` and `max-depth` are one word spelled in three ways. */
const plain = (word: string): string => lower(word).replace(/[^\p{L}\p{N}]/gu, "");

/** The nearest of the names, undefined where none is near: more than a third of the name would change. */
export const nearestName = (name: string, names: Iterable<string>): string | undefined => {
  const near = findNearest(name, names, lower);
  return near && near.edits <= Math.max(1, Math.floor(Math.max(name.length, near.name.length) / 3)) ? near.name : undefined;
};

/** The nearest of a few known words however far it is: undefined only where there is none, or the word is longer than any name. */
export const closestWord = (word: string, known: Iterable<string>): string | undefined => findNearest(word, known, plain)?.name;

type Ranked = { readonly name: string; readonly edits: number };

const rank = (word: string, names: Iterable<string>): readonly Ranked[] =>
  word.length > LONGEST
    ? []
    : [...names]
        .filter((name) => name.length <= LONGEST)
        .map((name) => ({ name, edits: editDistance(plain(word), plain(name)) }))
        .toSorted((a, b) => a.edits - b.edits || (a.name < b.name ? -1 : 1));

/** The few nearest names, the nearest first, however far they are. */
export const nearestNames = (name: string, names: Iterable<string>, most = 3): readonly string[] =>
  rank(name, names)
    .slice(0, most)
    .map((one) => one.name);

/** The name that is meant without doubt: at most a fifth of it would change, and no other is nearly as near. */
export const misspeltName = (name: string, names: Iterable<string>): string | undefined => {
  const [first, second] = rank(name, names);
  if (!first || first.edits > Math.max(1, Math.floor(plain(name).length / 5))) return undefined;
  return second === undefined || second.edits > first.edits + 1 ? first.name : undefined;
};
