/**
 * Prepared statements, made when first needed and kept with their database. A row that holds an integer too large for a JavaScript number
 * is read all the same, with the nearest number in its place: `verify` names such a row, and every other row stays readable.
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";

export type Statements = (sql: string) => StatementSync;

type Row = Record<string, SQLOutputValue>;
type Values = (Record<string, SQLInputValue> | SQLInputValue)[];

export const createStatements = (db: DatabaseSync): Statements => {
  const prepared = new Map<string, StatementSync>();
  return (sql) => {
    let statement = prepared.get(sql);
    if (!statement) prepared.set(sql, (statement = readAnyInteger(db, sql)));
    return statement;
  };
};

/** Reads as SQLite's own statement does; only where that refuses an integer is everything read once more, as `bigint`. */
const readAnyInteger = (db: DatabaseSync, sql: string): StatementSync => {
  const statement = db.prepare(sql);
  let wide: StatementSync | undefined;
  const readWide = (values: Values): readonly Row[] => {
    wide ??= db.prepare(sql);
    wide.setReadBigInts(true);
    return (wide as Reader).all(...values).map(toNumbers);
  };
  const { get, all, iterate } = statement as Reader;
  const reader: Reader = {
    get: (...values) =>
      unlessTooLarge(
        () => get.apply(statement, values),
        () => readWide(values)[0],
      ),
    all: (...values) =>
      unlessTooLarge(
        () => all.apply(statement, values),
        () => readWide(values),
      ),
    iterate: (...values) => iterateAny(iterate.apply(statement, values), () => readWide(values)),
  };
  return Object.assign(statement, reader);
};

/** The part of a statement that gives rows; its own type has overloads that take the values in two ways. */
type Reader = {
  readonly get: (...values: Values) => Row | undefined;
  readonly all: (...values: Values) => readonly Row[];
  readonly iterate: (...values: Values) => Iterator<Row>;
};

const unlessTooLarge = <T>(read: () => T, readWide: () => T): T => {
  try {
    return read();
  } catch (error) {
    if (isTooLarge(error)) return readWide();
    throw error;
  }
};

function* iterateAny(rows: Iterator<Row>, readWide: () => readonly Row[]): Generator<Row> {
  let given = 0;
  try {
    for (;;) {
      const next = rows.next();
      if (next.done === true) return;
      given += 1;
      yield next.value;
    }
  } catch (error) {
    if (!isTooLarge(error)) throw error;
  } finally {
    rows.return?.();
  }
  yield* readWide().slice(given);
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof RangeError && "code" in error && error.code === "ERR_OUT_OF_RANGE";

const toNumbers = (row: Row): Row => {
  for (const [name, value] of Object.entries(row)) if (typeof value === "bigint") row[name] = Number(value);
  return row;
};
