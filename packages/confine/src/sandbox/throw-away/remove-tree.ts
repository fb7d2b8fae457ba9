/** Removes a folder of ours with all that a command put there, also what the command has closed to everybody. */
import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** What cannot be removed even so is swept by a later process. */
export const removeTree = async (folder: string): Promise<void> => {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch {
    // No link is followed by either.
    await run("/bin/chmod", ["-R", "u+rwX", folder]).catch(() => undefined);
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
};
