/** A small file that settings name: a key, or certificates. Opened without blocking, and only if it is a regular file. Throws what the system says. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { homedir } from "node:os";

const MOST_BYTES = 4 * 1024 * 1024;

export const readSettingsFile = (path: string): string => {
  const descriptor = openSync(path.replace(/^~(?=\/)/, homedir()), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const { size } = fstatSync(descriptor);
    if (!fstatSync(descriptor).isFile()) throw new Error("it is not a regular file");
    if (size > MOST_BYTES) throw new Error("it is too large");
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
};
