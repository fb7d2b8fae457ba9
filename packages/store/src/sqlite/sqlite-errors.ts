/** What SQLite throws, in the words of the registry. */
import type { ErrorCode, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readFreeBytes } from "./free-room.ts";

const PRIMARY_CODES: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  // Every statement is ours and fits our tables, so it is the tables that do not fit.
  1: ["store_corrupt", "The store's tables are not those it was made with"],
  5: ["store_busy", "Another process kept the store locked for too long"],
  6: ["store_busy", "Another process kept the store locked for too long"],
  8: ["store_unreadable", "The store cannot be written"],
  10: ["store_failed", "Reading or writing the store failed"],
  11: ["store_corrupt", "The store's file is damaged"],
  13: ["store_full", "There is no space left to write to the store"],
  14: ["store_unreadable", "The store cannot be opened"],
  26: ["store_corrupt", "The store's file is damaged"],
};

/** Where the extended code says more: the file that processes share beside the store has no room to be made. */
const EXTENDED_CODES: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  4874: ["store_full", "There is no space left, or the disk fails, for the file that processes share beside the store"],
};

/** Of the file system, while a store is made. */
const SYSTEM_CODES: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ENOSPC: ["store_full", "There is no space left to write to the store"],
  EDQUOT: ["store_full", "There is no space left to write to the store"],
  EIO: ["store_failed", "Reading or writing the store failed"],
};

const BUSY = 5;

const toExtendedCode = (error: unknown): number | undefined =>
  error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode : undefined;

const toPrimaryCode = (error: unknown): number | undefined => {
  const code = toExtendedCode(error);
  return code === undefined ? undefined : code & 0xff;
};

const toSystemCode = (error: unknown): string => {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
};

const CORRUPT: readonly (number | undefined)[] = [11, 26];

export const isCorrupt = (error: unknown): error is Error => CORRUPT.includes(toPrimaryCode(error));

export const isBusy = (error: unknown): boolean => toPrimaryCode(error) === BUSY;

const FULL = 13;
/** Less than this is no room for anything. */
const LEAST_BYTES = 65_536;

type Rooms = { readonly store: () => number; readonly temporary: () => number };

/** SQLite says the same of both disks. */
const isTemporaryFull = (code: number | undefined, rooms: Rooms): boolean => {
  if (code !== FULL) return false;
  try {
    return rooms.temporary() < LEAST_BYTES && rooms.store() >= LEAST_BYTES;
  } catch {
    return false;
  }
};

/** What is neither SQLite's nor the file system's comes back as it is. */
export const toStoreError = (
  error: unknown,
  path: string,
  rooms: Rooms = { store: () => readFreeBytes(path), temporary: () => readFreeBytes(join(tmpdir(), "x")) },
): unknown => {
  if (isTemporaryFull(toExtendedCode(error), rooms))
    return new RetinueError(
      "temporary_folder_unusable",
      `The temporary folder ${tmpdir()} is full, so that the store ${path} cannot be worked with.`,
      { cause: error },
    );
  const code = toExtendedCode(error);
  const known = code === undefined ? SYSTEM_CODES[toSystemCode(error)] : (EXTENDED_CODES[code] ?? PRIMARY_CODES[code & 0xff]);
  if (known === undefined || !(error instanceof Error)) return error;
  return new RetinueError(known[0], `${known[1]}: ${path} (${error.message}).`, { cause: error });
};

/** Names the session that could not go on, so that whoever makes room knows what to resume. */
export const toFullError = (error: unknown, sessionId: SessionId): unknown => {
  if (!(error instanceof RetinueError) || error.code !== "store_full" || error.message.includes(sessionId)) return error;
  return new RetinueError("store_full", `${error.message} Session ${sessionId} ends there for now.`, {
    cause: error,
    hint: `Make space, then \`retinue sessions resume ${sessionId}\`.`,
  });
};
