/** How a file was changed since an agent last saw it, for that agent to read. Undefined where it is too long: the file is to be read again. */
import { toModelText } from "@retinue/confine";
import { toUnifiedDiff } from "./unified-diff.ts";

const MOST_CHARS = 8_000;

export const compareAs =
  (shown: string) =>
  (before: string, after: string): string | undefined => {
    const diff = toUnifiedDiff({ file: shown, before, after }, Infinity);
    return diff.length > MOST_CHARS ? undefined : toModelText(diff);
  };
