/** The name that was probably meant, for messages about names that are not there. */

/** The nearest of the names by edits, undefined where none is near: more than a third of the name would change. */
export const nearestName = (name: string, names: readonly string[]): string | undefined => {
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const candidate of names) {
    const edits = editsBetween(name.toLowerCase(), candidate.toLowerCase());
    if (edits <= Math.max(name.length, candidate.length) / 3 && (!best || edits < best.edits)) best = { name: candidate, edits };
  }
  return best?.name;
};

/** Levenshtein's distance, a row at a time. */
const editsBetween = (left: string, right: string): number => {
  let above = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const replaced = (above[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    above = current;
  }
  return above[right.length] ?? 0;
};
