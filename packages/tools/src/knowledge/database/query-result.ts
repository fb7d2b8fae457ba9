/** What a query gave, and how it is shown: a table of one line a row, or JSON. */
import type { Json } from "@retinue/protocol";

export type Cell = string | number | boolean | null;

export type QueryResult = {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** What stopped it from being all there is. */
  readonly cut?: "rows" | "bytes";
};

export type Query = {
  readonly sql: string;
  readonly params: readonly Cell[];
  readonly maxRows: number;
  readonly maxBytes: number;
  readonly timeLimitMs: number;
  readonly signal: AbortSignal;
};

/** Long texts of a cell are cut: a row is meant to be read beside others. */
const MAX_CELL_CHARS = 2000;

export const toCell = (value: unknown): Cell => {
  if (value === null || value === undefined || typeof value === "boolean") return value ?? null;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Uint8Array) return `<${value.length} bytes>`;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > MAX_CELL_CHARS ? `${text.slice(0, MAX_CELL_CHARS).toWellFormed()}… (${text.length} characters)` : text;
};

/** Collects rows up to the caps; false from `add` when there is no room for more. */
export const createRowCollector = ({ maxRows, maxBytes }: Pick<Query, "maxRows" | "maxBytes">) => {
  const rows: Cell[][] = [];
  let bytes = 0;
  let cut: QueryResult["cut"];
  return {
    add: (values: readonly unknown[]): boolean => {
      const row = values.map(toCell);
      bytes += row.reduce<number>((sum, cell) => sum + String(cell).length + 3, 0);
      if (rows.length >= maxRows) cut = "rows";
      else if (bytes > maxBytes) cut = "bytes";
      else rows.push(row);
      return cut === undefined;
    },
    finish: (columns: readonly string[]): QueryResult => ({ columns, rows, ...(cut === undefined ? {} : { cut }) }),
  };
};

export const toTable = ({ columns, rows }: QueryResult): string =>
  [columns, columns.map(() => "---"), ...rows].map((row) => `| ${row.map((cell) => toTableCell(cell)).join(" | ")} |`).join("\n");

const toTableCell = (cell: Cell): string =>
  cell === null
    ? "NULL"
    : String(cell).replaceAll("\\", "\\\\").replaceAll("|", "\\|").replaceAll("\r", "\\r").replaceAll("\n", "\\n");

/** One object a row; a name that comes again is numbered. */
export const toJson = ({ columns, rows }: QueryResult): string => {
  const seen = new Map<string, number>();
  const names = columns.map((column) => {
    const times = (seen.get(column) ?? 0) + 1;
    seen.set(column, times);
    return times === 1 ? column : `${column}_${times}`;
  });
  return rows
    .map((row) => JSON.stringify(Object.fromEntries(names.map((name, at) => [name, row[at] ?? null])) satisfies Json))
    .join("\n");
};
