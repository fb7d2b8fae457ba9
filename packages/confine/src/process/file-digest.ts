/** The content of a script and its hash, by which a human's approval is bound to what the script says. */
import { hash } from "node:crypto";
import { constants, open } from "node:fs/promises";

const MAX_BYTES = 16 * 1024 * 1024;
const MAX_TEXT_BYTES = 64 * 1024;

/** Undefined for what is no regular file, or is too large to be a script. */
export const digestFile = async (file: string): Promise<string | undefined> => {
  const content = await readScriptBytes(file, MAX_BYTES);
  return content === undefined ? undefined : hash("sha256", content, "hex");
};

/** The text of a short script; undefined for anything else. */
export const readScript = async (file: string): Promise<string | undefined> =>
  (await readScriptBytes(file, MAX_TEXT_BYTES))?.toString("utf8");

const readScriptBytes = async (file: string, mostBytes: number): Promise<Buffer | undefined> => {
  // What is no file must neither block nor be read.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)).catch(
    () => undefined,
  );
  if (!handle) return undefined;
  try {
    const stats = await handle.stat();
    return stats.isFile() && stats.size <= mostBytes ? await handle.readFile() : undefined;
  } finally {
    await handle.close();
  }
};
