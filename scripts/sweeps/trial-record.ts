/** The record of one trial, wherever it is kept: opened as the product opens it, and read as another program would find it. */
import { existsSync } from "node:fs";
import path from "node:path";
import type { EventLog, ReadSide } from "@retinue/store";
import { createSqliteLog } from "@retinue/store/sqlite";
import { readCrashed, readRecord, type Record } from "./read-record.ts";
import { SESSION } from "./victim-names.ts";
import type { VictimOrder } from "./victim-order.ts";

export type TrialLog = EventLog & { readonly readSide: ReadSide };

export const databaseIn = (folder: string): string => path.join(folder, "retinue.db");

type Where = Pick<VictimOrder, "folder" | "postgres" | "synchronous">;

export const openTrialLog = async ({ folder, postgres, synchronous = "NORMAL" }: Where): Promise<TrialLog> => {
  if (postgres === undefined) return createSqliteLog({ path: databaseIn(folder), synchronous });
  // Victims of SQLite start without it.
  const { createPostgresLog } = await import("@retinue/store/postgres");
  return createPostgresLog(postgres);
};

/** Whether a victim has got so far that there is something to open. */
export const isThere = ({ folder, postgres }: Where): boolean => postgres !== undefined || existsSync(databaseIn(folder));

/** What a process that was stopped has left, without touching it. */
export const readLeft = async (where: Where): Promise<Record> =>
  where.postgres === undefined ? readCrashed(databaseIn(where.folder)) : readByStore(where);

export const readFinal = async (where: Where): Promise<Record> =>
  where.postgres === undefined ? readRecord(databaseIn(where.folder)) : readByStore(where);

const readByStore = async (where: Where): Promise<Record> => {
  const log = await openTrialLog(where);
  try {
    return { events: await log.read(SESSION), faults: [] };
  } finally {
    await log.close();
  }
};

/** What the store itself says of its rows, projections and search index. */
export const verifyRecord = async (where: Where): Promise<readonly string[]> => {
  const log = await openTrialLog(where);
  try {
    const { damage } = await log.readSide.verify();
    return damage.map(({ what, seq }) => `${what} (event ${seq})`);
  } finally {
    await log.close();
  }
};
