/**
 * Searches a folder for lines as fast as its size allows. In the order of paths, files are searched one after the other, which is soon done in
 * a small folder, or where there is so much that the first of it is enough. A large folder with little in it is searched in any order, in many
 * files at once.
 */
import type { RipgrepEnd, RipgrepRun } from "@retinue/confine";
import { runRipgrep } from "@retinue/confine";

/** Where a search puts what it finds. */
export type Gathering = {
  readonly onRecord: (record: string) => void;
  readonly found: () => number;
  /** Whether what comes later is not shown anyway, when all came in order. */
  readonly isFull: () => boolean;
};

export type LineSearch<Kind extends Gathering> = Omit<RipgrepRun, "onRecord" | "review"> & {
  /** With these many it ends. */
  readonly most: number;
  /** Made for every try: for all that is found, in the order of paths or in any, or only for the first of it in order. */
  readonly gather: (what: "ordered" | "all" | "first") => Kind;
  /** How long files are searched in order before it is looked whether that leads far; with zero they are not. */
  readonly reviewMs?: number;
};

/** Who has found this part of the most by then will soon have all. */
const GOOD_PART = 0.05;

export type LineSearchEnd<Kind> = {
  readonly end: Exclude<RipgrepEnd, "reviewed">;
  /** All that was found, or with the end `enough` at least what comes first of it. */
  readonly gathered: Kind;
};

export const searchLines = async <Kind extends Gathering>(search: LineSearch<Kind>): Promise<LineSearchEnd<Kind>> => {
  const { most, gather, args, timeLimitMs, reviewMs = 80, ...run } = search;
  const deadline = performance.now() + timeLimitMs;
  const look = async (gathered: Kind, isDone: () => boolean, more: Partial<RipgrepRun>): Promise<RipgrepEnd> =>
    runRipgrep({
      ...run,
      args,
      ...more,
      timeLimitMs: Math.max(0, deadline - performance.now()),
      onRecord: (record) => {
        gathered.onRecord(record);
        return !isDone();
      },
    });
  const inOrder = ["--sort=path", ...args];

  if (reviewMs > 0) {
    const ordered = gather("ordered");
    const review = { afterMs: reviewMs, goesOn: () => ordered.found() >= most * GOOD_PART };
    const end = await look(ordered, () => ordered.found() >= most, { args: inOrder, review });
    if (end !== "reviewed") return { end, gathered: ordered };
  }

  const all = gather("all");
  const end = await look(all, () => all.found() >= most, {});
  if (end !== "enough") return { end: end === "reviewed" ? "done" : end, gathered: all };

  const first = gather("first");
  await look(first, first.isFull, { args: inOrder });
  return { end, gathered: first.found() > 0 ? first : all };
};
