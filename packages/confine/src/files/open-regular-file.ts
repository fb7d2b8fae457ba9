/**
 * Opens what is really a file: a FIFO, a device or a socket neither blocks nor is read, and a path of the workspace does not lead out of it,
 * even if somebody swapped a link in after policy had judged the path.
 */
import type { FileHandle } from "node:fs/promises";
import { constants, open, readlink, realpath } from "node:fs/promises";
import { RetinueError } from "@retinue/protocol";
import { isInside } from "@retinue/runtime";
import { toToolError } from "./system-error.ts";

export type FileToOpen = {
  readonly workspace: string;
  readonly absolute: string;
  /** As the model reads it. */ readonly shown: string;
};

export type OpenedFile = { readonly handle: FileHandle; readonly size: number };

/** Whoever opens it closes it. */
export const openRegularFile = async ({ workspace, absolute, shown }: FileToOpen): Promise<OpenedFile> => {
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
    if (isInside(workspace, absolute) && !isInside(workspace, await realPathOf(handle, absolute)))
      throw new RetinueError("path_outside_workspace", `${shown} leads out of the workspace.`);
    return { handle, size: stats.size };
  } catch (thrown) {
    await handle.close();
    throw toToolError(thrown, shown);
  }
};

/** Where the opened file itself lies; without /proc, where its path leads now. */
const realPathOf = (handle: FileHandle, absolute: string): Promise<string> =>
  readlink(`/proc/self/fd/${handle.fd}`).catch(() => realpath(absolute));
