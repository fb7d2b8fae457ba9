/** Makes the store's tables in its schema, or takes them to the latest version; all of the way or not at all. */
import { RetinueError } from "@retinue/protocol";
import type { Database, Query } from "./database.ts";
import type { PostgresMigration } from "./schema.ts";

/** One process at a time; the number is ours and means nothing. */
const LOCK = 5_245_544;

export const migrate = async (db: Database, schema: string, migrations: readonly PostgresMigration[]): Promise<void> => {
  const latest = migrations.at(-1)?.version ?? 0;
  const bringUp = async (query: Query): Promise<void> => {
    await query(`SELECT pg_advisory_xact_lock(${LOCK})`);
    const version = await readVersion(query, schema);
    if (version > latest)
      throw new RetinueError(
        "store_newer",
        `The store in schema ${schema} has version ${version}; this Retinue knows up to ${latest}.`,
      );
    if (version === latest) return;
    if (version === 0) {
      await query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
      await query("CREATE TABLE ~retinue_store (version BIGINT NOT NULL)");
      await query("INSERT INTO ~retinue_store VALUES (0)");
    }
    for (const migration of migrations) {
      if (migration.version <= version) continue;
      for (const statement of toStatements(migration.sql)) await query(statement);
      await migration.fill?.(query);
    }
    await query("UPDATE ~retinue_store SET version = $1", [latest]);
  };
  await db.transact(bringUp, undefined, "slow");
};

/** 0 where there is no store. A schema that holds something else is refused. */
const readVersion = async (query: Query, schema: string): Promise<number> => {
  const tables = await query("SELECT table_name FROM information_schema.tables WHERE table_schema = $1", [schema]);
  if (tables.length === 0) return 0;
  if (!tables.some((table) => table["table_name"] === "retinue_store"))
    throw new RetinueError("store_foreign", `The schema ${schema} holds tables that are not Retinue's.`, {
      hint: "Give another schema or another database.",
    });
  return Number((await query("SELECT version FROM ~retinue_store"))[0]?.["version"]);
};

const toStatements = (sql: string): readonly string[] =>
  sql
    .split(";\n")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
