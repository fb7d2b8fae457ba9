/** Takes a store's file to the latest schema, all of the way or not at all. */
import { RetinueError } from "@retinue/protocol";
import type { DatabaseSync } from "node:sqlite";
import { fromColumnText } from "../column-text.ts";
import { toElapsedMs } from "../project.ts";
import type { Migration } from "./schema.ts";
import { APPLICATION_ID } from "./schema.ts";

export const migrate = (db: DatabaseSync, migrations: readonly Migration[], file: string): void => {
  const latest = migrations.at(-1)?.version ?? 0;
  if (readVersion(db) === latest && readApplicationId(db) === APPLICATION_ID) return;
  db.exec("BEGIN IMMEDIATE");
  try {
    const version = readVersion(db);
    refuseNewer(version, latest, file);
    if (version === 0) {
      const tables = db.prepare("SELECT count(*) AS count FROM sqlite_schema").get()?.["count"];
      if (tables !== 0) throw new RetinueError("store_foreign", `${file} is a SQLite database, but not one of Retinue.`);
      db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    }
    // As the projection has it, of whatever stands in the columns.
    db.function("elapsed_ms", { deterministic: true }, (from, to) =>
      toElapsedMs(fromColumnText(String(from)), fromColumnText(String(to))),
    );
    for (const migration of migrations) {
      if (migration.version <= version) continue;
      db.exec(migration.sql);
      migration.fill?.(db);
    }
    db.exec(`PRAGMA user_version = ${latest}`);
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
};

export const refuseNewer = (version: number, latest: number, file: string): void => {
  if (version > latest)
    throw new RetinueError("store_newer", `${file} has schema ${version}; this Retinue knows up to ${latest}.`);
};

export const readVersion = (db: DatabaseSync): number => Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);

const readApplicationId = (db: DatabaseSync): number => Number(db.prepare("PRAGMA application_id").get()?.["application_id"]);
