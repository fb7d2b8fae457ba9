/**
 * Searches a folder for lines as fast as its size allows. Files in order are searched one after the other, all of them at once in any order:
 * so first it is looked whether there is much to find, which is soon done in order; a large folder with little in it is searched at once.
 */
import type { RipgrepEnd, RipgrepRun } from "./ripgrep.ts";
import { runRipgrep } from "./ripgrep.ts";

/** Where one try gathers what it finds. */
export type Gathering = { readonly found: () => number; readonly onRecord: (record: string) => boolean };

export type LineSearch<Kind extends Gathering> = Omit<RipgrepRun, "onRecord" | "review"> & {
  /** With these many the search ends. */
  readonly most: number;
  /** Called for every try; only the last one counts. */
  readonly gather: () => Kind;
  /** After this time it is looked whether there is much to find. In the default a project of usual size is through. */
  readonly reviewMs?: number;
};

/** Whoever has found this part of the most by then will soon have all. */
const GOOD_PART = 0.05;

export type LineSearchEnd<Kind> = { readonly end: Exclude<RipgrepEnd, "reviewed">; readonly gathered: Kind };

export const searchLines = async <Kind extends Gathering>(search: LineSearch<Kind>): Promise<LineSearchEnd<Kind>> => {
  const { most, gather, args, timeLimitMs, reviewMs = 80, ...run } = search;
  const deadline = performance.now() + timeLimitMs;
  const look = async (more: readonly string[], review?: boolean): Promise<{ end: RipgrepEnd; gathered: Kind }> => {
    const gathered = gather();
    const { found, onRecord } = gathered;
    const goesOn = (): boolean => found() >= most * GOOD_PART;
    const end = await runRipgrep({
      ...run,
      args: [...more, ...args],
      timeLimitMs: Math.max(0, deadline - performance.now()),
      onRecord: (record) => onRecord(record) && found() < most,
      ...(review === true ? { review: { afterMs: reviewMs, goesOn } } : {}),
    });
    return { end, gathered };
  };
  const toEnd = ({ end, gathered }: { end: RipgrepEnd; gathered: Kind }): LineSearchEnd<Kind> => ({
    end: end === "reviewed" ? "enough" : end,
    gathered,
  });
  const first = await look(IN_ORDER, true);
  if (first.end !== "reviewed") return toEnd(first);
  const second = await look([]);
  // What was found first is not what comes first.
  return toEnd(second.end === "enough" ? await look(IN_ORDER) : second);
};

const IN_ORDER = ["--sort=path"];
