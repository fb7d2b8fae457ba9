/** Reads a file of a workspace for our own use: never a FIFO, device or socket, never more than a bound. */
import type { FileHandle } from "node:fs/promises";
import { constants, open } from "node:fs/promises";

/** A FIFO without a writer would block for ever without O_NONBLOCK. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

export type PlainFileOptions = {
  /** Also reads where the last part of the path is a link. */
  readonly followsLink?: boolean;
};

/** Undefined where the file is absent, unreadable, a link, not a regular file, or larger than the bound. */
export const readPlainFile = async (
  file: string,
  mostBytes: number,
  { followsLink = false }: PlainFileOptions = {},
): Promise<Buffer | undefined> => {
  const handle = await open(file, FLAGS | (followsLink ? 0 : (constants.O_NOFOLLOW ?? 0))).catch(() => undefined);
  if (!handle) return undefined;
  try {
    const stats = await handle.stat();
    return stats.isFile() && stats.size <= mostBytes ? await readBytes(handle, mostBytes) : undefined;
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
};

/** As text; empty where `readPlainFile` gives nothing. */
export const readPlainText = async (file: string, mostBytes: number, options?: PlainFileOptions): Promise<string> =>
  (await readPlainFile(file, mostBytes, options))?.toString("utf8") ?? "";

/** The first bytes of an open file, at most so many, also where the file grows meanwhile or tells no size. */
export const readBytes = async (handle: FileHandle, mostBytes: number): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  for (let read = 0; read < mostBytes;) {
    const buffer = Buffer.alloc(Math.min(64 * 1024, mostBytes - read));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, read);
    if (bytesRead === 0) break;
    pieces.push(buffer.subarray(0, bytesRead));
    read += bytesRead;
  }
  return Buffer.concat(pieces);
};
