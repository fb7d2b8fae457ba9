/** The known word that was probably meant. */

/** `maxDepth`, `max_depth` and `max-depth` are one word spelled in three ways. */
const plain = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

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

/** Undefined only where there is nothing to choose from, or the word is longer than any name. */
export const nearest = (word: string, known: readonly string[]): string | undefined => {
  if (word.length > 200) return undefined;
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    const distance = editDistance(plain(word), plain(name));
    if (!best || distance < best.distance) best = { name, distance };
  }
  return best?.name;
};
