/**
 * Opens a store's SQLite file, or makes it. What is not ours, newer than us or in a place we cannot write is refused
 * before SQLite touches it, so that it stays byte for byte as it was.
 */
import { RetinueError } from "@retinue/protocol";
import { randomUUID } from "node:crypto";
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { migrate, readVersion, refuseNewer } from "./migrate.ts";
import { toNetworkFilesystem } from "./network-filesystem.ts";
import type { Migration } from "./schema.ts";
import { APPLICATION_ID, MIGRATIONS } from "./schema.ts";
import { toStoreError } from "./sqlite-errors.ts";

/** NORMAL: a killed process loses nothing. FULL: nor does a power cut. */
export type Synchronous = "NORMAL" | "FULL";

export type OpenOptions = {
  readonly path: string;
  readonly synchronous: Synchronous;
  readonly migrations?: readonly Migration[];
};

/** While opening, another process may be recovering the file after a crash. */
const OPEN_TIMEOUT_MS = 10_000;
/** Afterwards the write queue waits, without holding up the process. */
const BUSY_TIMEOUT_MS = 10;

export const openDatabase = ({ path, synchronous, migrations = MIGRATIONS }: OpenOptions): DatabaseSync => {
  const file = resolve(path);
  const latest = migrations.at(-1)?.version ?? 0;
  if (inspect(file, latest) === "absent") create(file, migrations);
  let db: DatabaseSync | undefined;
  try {
    probe(file, latest);
    db = new DatabaseSync(file, { timeout: OPEN_TIMEOUT_MS });
    // First of all: nothing here is to depend on the room of the temporary folder.
    db.exec("PRAGMA temp_store = MEMORY");
    migrate(db, migrations, file);
    db.exec("PRAGMA journal_mode = WAL");
    configure(db, synchronous);
    return db;
  } catch (error) {
    db?.close();
    throw toStoreError(error, file);
  }
};

/**
 * Opens a store that is there for this process alone, without the file that processes share: on a disk with no byte free that file cannot be made.
 * Throws `store_busy` where another process has it open.
 */
export const openAlone = ({ path, synchronous, migrations = MIGRATIONS }: OpenOptions): DatabaseSync => {
  const file = resolve(path);
  inspect(file, migrations.at(-1)?.version ?? 0);
  const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    // Before anything is read, so that what processes share is kept in memory.
    db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY");
    migrate(db, migrations, file);
    configure(db, synchronous);
    return db;
  } catch (error) {
    db.close();
    throw toStoreError(error, file);
  }
};

/** One more connection to a store that is open, which writes nothing. */
export const openReader = (path: string): DatabaseSync => {
  const db = new DatabaseSync(resolve(path), { readOnly: true, timeout: OPEN_TIMEOUT_MS });
  db.exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -64000");
  return db;
};

/** A store that lives as long as the process. */
export const openMemoryDatabase = (): DatabaseSync => {
  const db = new DatabaseSync(":memory:");
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA temp_store = MEMORY`);
  migrate(db, MIGRATIONS, ":memory:");
  return db;
};

/** What is deleted is overwritten in the file: it costs nothing that could be measured, and without it a deleted session could be read. */
const configure = (db: DatabaseSync, synchronous: Synchronous): void => {
  db.enableDefensive(true);
  db.exec(`PRAGMA synchronous = ${synchronous === "FULL" ? "FULL" : "NORMAL"};
    PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS};
    PRAGMA foreign_keys = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA cell_size_check = ON;
    PRAGMA secure_delete = ON;
    PRAGMA wal_autocheckpoint = 8000;
    PRAGMA journal_size_limit = 67108864;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -8000`);
};

const MAGIC = "SQLite format 3\0";
const HEADER_BYTES = 100;
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;

/** Looks without opening a database. Throws for everything that must not be opened. */
const inspect = (file: string, latest: number): "absent" | "ours" => {
  const folder = dirname(file);
  let isFolder: boolean;
  try {
    isFolder = statSync(folder).isDirectory();
  } catch (error) {
    throw unreadable(`The folder ${folder} of the store does not exist or cannot be entered`, error);
  }
  if (!isFolder) throw unreadable(`${folder} is not a folder, so it cannot hold the store`);
  const network = toNetworkFilesystem(statfsSync(folder).type);
  if (network !== undefined)
    throw unreadable(`${folder} is on a network drive (${network}), where a store cannot be shared safely`);

  const size = sizeOf(file);
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unreadable(`The folder ${folder} of the store cannot be written`, error);
  }
  if (size === undefined) return "absent";
  const header = readHeader(file);
  // An empty file is what SQLite itself takes for a new database.
  if (size === 0) return "ours";
  if (header.length < HEADER_BYTES || header.toString("latin1", 0, MAGIC.length) !== MAGIC)
    throw new RetinueError("store_foreign", `${file} is not a SQLite database.`);
  if (header.readUInt32BE(APPLICATION_ID_AT) !== APPLICATION_ID)
    throw new RetinueError("store_foreign", `${file} is a SQLite database, but not one of Retinue.`);
  refuseNewer(header.readUInt32BE(USER_VERSION_AT), latest, file);
  return "ours";
};

/** After a crash the latest schema may stand in the write-ahead file alone; a reader finds it there and changes nothing. */
const probe = (file: string, latest: number): void => {
  if ((sizeOf(`${file}-wal`) ?? 0) === 0) return;
  const db = new DatabaseSync(file, { readOnly: true, timeout: OPEN_TIMEOUT_MS });
  try {
    refuseNewer(readVersion(db), latest, file);
  } finally {
    db.close();
  }
};

const sizeOf = (file: string): number | undefined => {
  const stat = statOf(file);
  if (stat === undefined) return undefined;
  if (stat.isDirectory()) throw unreadable(`${file} is a folder`);
  if (!stat.isFile()) throw unreadable(`${file} is not an ordinary file`);
  return stat.size;
};

const statOf = (file: string) => {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    throw unreadable(`${file} cannot be looked at`, error);
  }
};

const readHeader = (file: string): Buffer => {
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openForWriting(file);
  try {
    return header.subarray(0, readSync(descriptor, header, 0, HEADER_BYTES, 0));
  } finally {
    closeSync(descriptor);
  }
};

/** SQLite would silently make do with reading. */
const openForWriting = (file: string): number => {
  try {
    return openSync(file, "r+");
  } catch (error) {
    throw unreadable(`The store ${file} cannot be written`, error);
  }
};

const unreadable = (what: string, cause?: unknown): RetinueError =>
  new RetinueError("store_unreadable", `${what}${cause instanceof Error ? ` (${cause.message})` : ""}.`, { cause });

/** Made whole beside its place, then put there at once: nobody ever sees half a store, and of two makers one wins. */
const create = (file: string, migrations: readonly Migration[]): void => {
  const draft = `${file}.${randomUUID()}.new`;
  try {
    const db = new DatabaseSync(draft);
    try {
      chmodSync(draft, 0o600);
      // Until it is in its place nobody needs it: it is brought to the disk once, when it is whole.
      db.exec(
        "PRAGMA temp_store = MEMORY; PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF",
      );
      db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      migrate(db, migrations, file);
      db.exec("PRAGMA journal_mode = WAL");
    } finally {
      db.close();
    }
    sync(draft);
    link(draft, file);
  } catch (error) {
    throw toStoreError(error, file);
  } finally {
    rmSync(draft, { force: true });
  }
};

const sync = (draft: string): void => {
  const descriptor = openSync(draft, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

const link = (draft: string, file: string): void => {
  try {
    linkSync(draft, file);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST") return;
    throw unreadable(`The store cannot be made at ${file}`, error);
  }
};
