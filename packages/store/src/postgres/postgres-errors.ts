/** What PostgreSQL and its connections throw, in the words of the registry. */
import type { ErrorCode } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

const LOST: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  // Shutting down, starting up, too many connections.
  "57P01",
  "57P02",
  "57P03",
  "53300",
]);

/** The server took a statement, or a connection, and did not answer in time. */
export const isMute = (error: unknown): boolean =>
  codeOf(error) === "" && error instanceof Error && /Query read timeout|timeout expired/i.test(error.message);

/** The server is away, or this connection to it is. */
export const isConnectionLost = (error: unknown): boolean => {
  if (isMute(error)) return true;
  const code = codeOf(error);
  if (LOST.has(code) || code.startsWith("08")) return true;
  return (
    code === "" &&
    error instanceof Error &&
    /Connection terminated|connection error|timeout exceeded when trying/i.test(error.message)
  );
};

/** Two transactions stood in each other's way; the same again will pass. */
export const isCollision = (error: unknown): boolean => ["40001", "40P01", "23505"].includes(codeOf(error));

const CODES: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  "53100": ["store_full", "There is no space left to write to the store"],
  "53200": ["store_failed", "The database server has no memory left"],
  "58030": ["store_failed", "The database server could not read or write"],
  "28P01": ["store_unreadable", "The database server refused the password"],
  "28000": ["store_unreadable", "The database server refused the user"],
  "3D000": ["store_unreadable", "There is no such database"],
  "42501": ["store_unreadable", "This user may not use the store"],
  "25006": ["store_unreadable", "The database may only be read"],
  "55P03": ["store_busy", "Another process kept the store locked for too long"],
  "57014": ["store_busy", "The database server took too long"],
  "42P01": ["store_corrupt", "A table of the store is missing"],
  "42703": ["store_corrupt", "A column of the store is missing"],
  XX001: ["store_corrupt", "The database server found damage"],
  XX002: ["store_corrupt", "The database server found damage"],
};

/** What is not the database's comes back as it is. `where` says which store, without its password. */
export const toPostgresError = (error: unknown, where: string): unknown => {
  if (error instanceof RetinueError || !(error instanceof Error)) return error;
  const known = CODES[codeOf(error)];
  if (known !== undefined) return new RetinueError(known[0], `${known[1]}: ${where} (${error.message}).`, { cause: error });
  if (isMute(error))
    return new RetinueError("store_failed", `The database server takes what is sent and does not answer: ${where}.`, {
      cause: error,
    });
  if (isConnectionLost(error))
    return new RetinueError("store_failed", `The database server cannot be reached: ${where} (${error.message}).`, {
      cause: error,
    });
  return error;
};
