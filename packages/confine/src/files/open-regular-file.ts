/**
 * Opens what is really a file: a FIFO, a device or a socket neither blocks nor is read, and nothing is read that lies outside the workspace or is a
 * secret, even if somebody swapped a link in after policy had judged the path: what was opened is judged, before a byte of it is read.
 */
import type { FileHandle } from "node:fs/promises";
import { constants, open } from "node:fs/promises";
import { RetinueError } from "@retinue/protocol";
import type { Seen } from "./real-place.ts";
import { realPlaceOf, requireSeen } from "./real-place.ts";
import { toToolError } from "./system-error.ts";

export type FileToOpen = Seen & { readonly absolute: string };

export type OpenedFile = { readonly handle: FileHandle; readonly size: number };

/** Whoever opens it closes it. */
export const openRegularFile = async ({ absolute, ...seen }: FileToOpen): Promise<OpenedFile> => {
  const { shown } = seen;
  let handle: FileHandle;
  try {
    // A FIFO without a writer would block for ever without O_NONBLOCK.
    handle = await open(absolute, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
  } catch (thrown) {
    throw toToolError(thrown, shown);
  }
  try {
    const stats = await handle.stat();
    if (stats.isDirectory())
      throw new RetinueError("tool_failed", `${shown} is a folder.`, { hint: "Use ls to see what is in it." });
    if (!stats.isFile())
      throw new RetinueError("tool_failed", `${shown} is no regular file but a device, FIFO or socket.`, {
        hint: "Only files are read.",
      });
    // The place of a removed file is told with a mark behind its name, so that it could not be judged.
    if (stats.nlink === 0)
      throw new RetinueError("tool_failed", `${shown} has just been removed or replaced.`, { hint: "Try again." });
    requireSeen(await realPlaceOf(handle, absolute), seen);
    return { handle, size: stats.size };
  } catch (thrown) {
    await handle.close();
    throw toToolError(thrown, shown);
  }
};
