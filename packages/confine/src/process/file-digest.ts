/** A hash of a file's content, by which a human's approval of a script is bound to what the script says. */
import { hash } from "node:crypto";
import { constants, open } from "node:fs/promises";

const MAX_BYTES = 16 * 1024 * 1024;

/** Undefined for what is no regular file, or is too large to be a script. */
export const digestFile = async (file: string): Promise<string | undefined> => {
  // What is no file must neither block nor be read.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)).catch(
    () => undefined,
  );
  if (!handle) return undefined;
  try {
    const stats = await handle.stat();
    return stats.isFile() && stats.size <= MAX_BYTES ? hash("sha256", await handle.readFile(), "hex") : undefined;
  } finally {
    await handle.close();
  }
};
