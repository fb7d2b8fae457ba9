/** Opens a folder to be searched or listed, and judges it where it really lies: whoever swaps its name afterwards does not change what is searched. */
import type { FileHandle } from "node:fs/promises";
import { constants, open } from "node:fs/promises";
import { RetinueError } from "@retinue/protocol";
import type { Seen } from "./real-place.ts";
import { HAS_DESCRIPTORS, realPlaceOf, requireSeen, toDescriptorPath } from "./real-place.ts";
import { codeOf, toToolError } from "./system-error.ts";

export type OpenedFolder = {
  /** Where it lies. */
  readonly real: string;
  /** What it is reached by: the same folder as long as it is open, where the system has descriptors. */
  readonly held: string;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export const openFolder = async ({ absolute, ...seen }: Seen & { readonly absolute: string }): Promise<OpenedFolder> => {
  const { shown } = seen;
  let handle: FileHandle;
  try {
    handle = await open(absolute, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0));
  } catch (thrown) {
    if (codeOf(thrown) === "ENOTDIR")
      throw new RetinueError("tool_failed", `${shown} is no folder.`, { hint: "Name a folder as path." });
    throw toToolError(thrown, shown);
  }
  try {
    const real = await realPlaceOf(handle, absolute);
    requireSeen(real, seen);
    return { real, held: HAS_DESCRIPTORS ? toDescriptorPath(handle.fd) : real, [Symbol.asyncDispose]: () => handle.close() };
  } catch (thrown) {
    await handle.close();
    throw toToolError(thrown, shown);
  }
};
