/** Which rows of what is asked about were on the screen: nothing is allowed before all of them were. */

export type SeenRows = {
  readonly total: number;
  readonly rows: ReadonlySet<number>;
  readonly isWhole: boolean;
};

/** Rows from one up to another, of how many. */
export type RowRange = { readonly from: number; readonly to: number; readonly total: number };

/** All of it was printed. */
export const SEEN_WHOLE: SeenRows = { total: 0, rows: new Set(), isWhole: true };

/** Where the number of rows changes (another width, or a diff in the place of the call), they are other rows, and none was seen. */
export const addSeen = (before: SeenRows | undefined, { from, to, total }: RowRange): SeenRows => {
  if (before === SEEN_WHOLE) return before;
  const rows = new Set(before?.total === total ? before.rows : []);
  for (let at = from; at < to; at += 1) rows.add(at);
  return { total, rows, isWhole: rows.size >= total };
};
