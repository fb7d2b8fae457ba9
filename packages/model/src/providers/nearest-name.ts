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

/** Letters added, left out, replaced or swapped with their neighbour, row by row. */
const editsBetween = (left: string, right: string): number => {
  let beforeAbove: number[] = [];
  let above = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const replaced = (above[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      const isSwap = row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const swapped = isSwap ? (beforeAbove[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min(replaced, swapped, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    beforeAbove = above;
    above = current;
  }
  return above[right.length] ?? 0;
};
