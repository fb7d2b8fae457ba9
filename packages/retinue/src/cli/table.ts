/** Rows in columns, in 80 columns of a terminal: one column gives way, the others stay whole. Cells are printable already. */
import { cutToWidth, padToWidth, widthOf } from "../terminal/text-width.ts";

export type Column = {
  readonly title: string;
  readonly align?: "left" | "right";
  /** Takes the width that is left over; its cells are cut where that is too little. */
  readonly isFlexible?: boolean;
};

export const WIDTH = 80;
const GAP = "  ";
/** Below this a cell says nothing any more; then a line rather gets too long. */
const NARROWEST = 8;

/** The first line holds the titles, unless none is given. */
export const formatTable = (columns: readonly Column[], rows: readonly (readonly string[])[]): readonly string[] => {
  const titles = columns.map(({ title }) => title);
  const all = titles.every((title) => title === "") ? rows : [titles, ...rows];
  const wanted = columns.map((_, index) => Math.max(0, ...all.map((row) => widthOf(row[index] ?? ""))));
  const total = wanted.reduce((sum, width) => sum + width, 0) + GAP.length * (columns.length - 1);
  const widths = columns.map(({ isFlexible }, index) => {
    const width = wanted[index] ?? 0;
    return isFlexible === true ? Math.min(width, Math.max(NARROWEST, width - (total - WIDTH))) : width;
  });
  return all.map((row) =>
    columns
      .map(({ align = "left" }, index) => {
        const width = widths[index] ?? 0;
        return padToWidth(cutToWidth(row[index] ?? "", width), width, align);
      })
      .join(GAP)
      .trimEnd(),
  );
};
