/**
 * The text of a workspace file that enters a context because somebody named it: a delegation, a command file, a person. It is opened once, without
 * blocking, judged on the open descriptor, and read up to a bound.
 */
import { RetinueError } from "@retinue/protocol";
import type { IsSecret } from "../git/secret-paths.ts";
import { openRegularFile } from "./open-regular-file.ts";
import { toModelText } from "./output-text.ts";
import { readBytes } from "./read-plain-file.ts";
import { toAbsolutePath, toShownPath } from "./workspace-path.ts";

export type ContextFileRequest = {
  /** Absolute and real. */
  readonly workspace: string;
  readonly named: string;
  readonly isSecret?: IsSecret;
  readonly mostBytes: number;
};

/** `size` is that of the whole file; `text` ends at the bound. */
export type ContextFile = { readonly text: string; readonly size: number };

export const readContextFile = async ({ workspace, named, isSecret, mostBytes }: ContextFileRequest): Promise<ContextFile> => {
  const absolute = toAbsolutePath(workspace, named);
  const shown = toShownPath(workspace, absolute);
  const { handle, size } = await openRegularFile({ workspace, absolute, shown, ...(isSecret === undefined ? {} : { isSecret }) });
  try {
    // Its other name may be a secret, inside the workspace or outside.
    if ((await handle.stat()).nlink > 1)
      throw new RetinueError("tool_failed", `${shown} has hard links: the same file has another name.`, {
        hint: "Read it with the read tool.",
      });
    const bytes = await readBytes(handle, Math.min(size, mostBytes));
    if (bytes.includes(0)) throw new RetinueError("tool_failed", `${shown} is a binary file.`);
    return { text: toModelText(bytes.toString("utf8")), size };
  } finally {
    await handle.close();
  }
};
