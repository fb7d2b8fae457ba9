/** The machine's own clock and file system, as the loop's ports. */
import { readlink, realpath } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import type { Clock, Ports } from "@retinue/runtime";

let lastMs = 0;
let lastDate = "";

/** Events of one millisecond share one text. */
const date = (): string => {
  const now = Date.now();
  if (now !== lastMs) {
    lastMs = now;
    lastDate = new Date(now).toISOString();
  }
  return lastDate;
};

export const systemClock: Clock = {
  now: () => performance.now(),
  date,
  after: (ms, callback, options) => {
    if (ms > LONGEST_TIMER_MS) return afterLong(ms, callback, options);
    const timer = setTimeout(callback, ms);
    if (options?.idle) timer.unref();
    return () => clearTimeout(timer);
  },
};

/** A timer of the system that is set for longer is due at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

const afterLong: Clock["after"] = (ms, callback, options) => {
  const again = (): void => {
    takeBack = systemClock.after(ms - LONGEST_TIMER_MS, callback, options);
  };
  let takeBack = systemClock.after(LONGEST_TIMER_MS, again, options);
  return () => takeBack();
};

/**
 * Follows every link, also one to nowhere; of what does not exist, the nearest folder that does is followed and the rest is kept.
 */
export const realPath: Ports["realPath"] = async (file) => follow(file, MOST_LINKS);

const MOST_LINKS = 40;

const follow = async (file: string, linksLeft: number): Promise<string> => {
  const real = await realpath(file).catch(ifMissing);
  if (real !== undefined) return real;
  const folder = path.dirname(file);
  if (folder === file) return file;
  const target = await readlink(file).catch(ifMissing);
  if (target === undefined) return path.join(await follow(folder, linksLeft), path.basename(file));
  if (linksLeft === 0) throw new RetinueError("tool_failed", `${file} goes through too many links.`);
  return follow(path.resolve(await follow(folder, linksLeft), target), linksLeft - 1);
};

const MISSING: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "EINVAL"]);

const ifMissing = (thrown: unknown): undefined => {
  if (thrown instanceof Error && "code" in thrown && MISSING.has(thrown.code)) return undefined;
  throw new RetinueError("tool_failed", thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
};
