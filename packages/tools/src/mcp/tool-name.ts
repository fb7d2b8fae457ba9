/**
 * The name under which a model knows the tool of a server: `server.tool`. What our names do not allow is replaced, and a hash of the original
 * follows, so that two different tools never get the same name and a look-alike never gets the name it imitates.
 */
import { createHash } from "node:crypto";

const MOST_CHARS = 64;
const HASH_CHARS = 8;

/** A letter, then letters, digits, "_" or "-": short enough to leave room for the tool. */
export const SERVER_NAME = /^[A-Za-z][\w-]{0,31}$/;

export const toToolName = (server: string, tool: string): string => {
  const plain = `${server}.${tool}`;
  if (/^[\w.-]+$/.test(tool) && plain.length <= MOST_CHARS) return plain;
  const hash = createHash("sha256").update(tool).digest("hex").slice(0, HASH_CHARS);
  const room = MOST_CHARS - server.length - 1 - 1 - HASH_CHARS;
  return `${server}.${tool.replace(/[^\w.-]/gu, "_").slice(0, room)}-${hash}`;
};

/** Equal for names that a reader takes for the same. */
export const toSkeleton = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[_.-]/g, "")
    .replace(/[1i|]/g, "l")
    .replaceAll("0", "o")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w");
