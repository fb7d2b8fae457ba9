/** The id that git gives to a file's content as it stands, without any of the conversions that a repository may ask for. */
import type { Hash } from "node:crypto";
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";

export type ObjectFormat = "sha1" | "sha256";

/** Every id of a repository has the same length. */
export const formatOf = (id: string): ObjectFormat => (id.length === 64 ? "sha256" : "sha1");

const CHUNK_BYTES = 1024 * 1024;

export const blobIdOf = (content: Uint8Array, format: ObjectFormat): string =>
  begin(content.length, format).update(content).digest("hex");

/** Of an open file, read bit by bit. Undefined where its size changed meanwhile. */
export const blobIdOfFile = async (handle: FileHandle, size: number, format: ObjectFormat): Promise<string | undefined> => {
  const hash = begin(size, format);
  const chunk = Buffer.alloc(Math.max(1, Math.min(CHUNK_BYTES, size + 1)));
  let at = 0;
  for (;;) {
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) break;
    hash.update(chunk.subarray(0, bytesRead));
    at += bytesRead;
  }
  return at === size ? hash.digest("hex") : undefined;
};

const begin = (size: number, format: ObjectFormat): Hash => createHash(format).update(`blob ${size}\0`);
