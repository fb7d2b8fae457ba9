/** Opens a throw-away copy of a workspace, by overlay where the machine can and file by file elsewhere. */
import { RetinueError } from "@retinue/protocol";
import { canOverlay, openOverlayCopy } from "./overlay-copy.ts";
import { openPlainCopy } from "./plain-copy.ts";
import type { CopyOptions, ThrowAwayCopy } from "./throw-away-copy.ts";

export const openThrowAwayCopy = async ({ kind, ...options }: CopyOptions): Promise<ThrowAwayCopy> => {
  const by = kind ?? ((await canOverlay(options.workspace)) ? "overlay" : "plain");
  switch (by) {
    case "overlay":
      return openOverlayCopy(options.workspace);
    case "plain":
      return openPlainCopy(options).catch((thrown: unknown) => {
        if (thrown instanceof RetinueError || options.signal.aborted) throw thrown;
        throw new RetinueError(
          "tool_failed",
          `${options.workspace} could not be copied for a command that may not write it: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
          { cause: thrown },
        );
      });
    default:
      return by satisfies never;
  }
};
