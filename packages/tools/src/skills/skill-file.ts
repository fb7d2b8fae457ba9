/** Reads a text file of a skill's folder, and nothing outside it, whatever links or dots the name holds. */
import { constants, open, readlink, realpath } from "node:fs/promises";
import path from "node:path";
import { createSecretCheck } from "@retinue/confine";
import { isInside } from "@retinue/runtime";

const MOST_BYTES = 256 * 1024;
const isSecret = createSecretCheck();

/** Throws an Error that says what is wrong. */
export const readSkillFile = async (folder: string, name: string): Promise<string> => {
  if (name.includes("\0")) throw new Error("a name holds no NUL");
  const file = path.resolve(folder, name);
  if (!isInside(folder, file)) throw new Error("it lies outside the folder of the skill");
  let handle;
  try {
    handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (thrown) {
    throw new Error(`it cannot be read (${thrown instanceof Error && "code" in thrown ? String(thrown.code) : String(thrown)})`, {
      cause: thrown,
    });
  }
  try {
    // Where the opened file itself lies; without /proc, where its path leads now.
    const real = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => realpath(file));
    if (!isInside(folder, real)) throw new Error("it lies outside the folder of the skill");
    if (isSecret(path.relative(folder, real).split(path.sep).join("/"))) throw new Error("it is a secret by its name");
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error("it is no regular file");
    if (stats.size > MOST_BYTES) throw new Error("it is larger than 256 KiB");
    const bytes = await handle.readFile();
    if (bytes.includes(0)) throw new Error("it is no text");
    return bytes.toString("utf8");
  } finally {
    await handle.close();
  }
};
