/** Prepared statements, made when first needed and kept with their database. */
import type { DatabaseSync, StatementSync } from "node:sqlite";

export type Statements = (sql: string) => StatementSync;

export const createStatements = (db: DatabaseSync): Statements => {
  const prepared = new Map<string, StatementSync>();
  return (sql) => {
    let statement = prepared.get(sql);
    if (!statement) prepared.set(sql, (statement = db.prepare(sql)));
    return statement;
  };
};
