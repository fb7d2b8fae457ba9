/** How many lines the text files of a folder have, in one pass of ripgrep. */
import path from "node:path";
import { runRipgrep, toIgnoreArgs } from "@retinue/confine";

/** By file, relative to the folder; binaries are not in it. */
export type CountedLines = ReadonlyMap<string, number>;

const TIME_LIMIT_MS = 20_000;

export const countLines = async (folder: string, signal: AbortSignal): Promise<CountedLines> => {
  const lines = new Map<string, number>();
  await runRipgrep({
    args: [
      "--count",
      "--null",
      "--with-filename",
      "--hidden",
      "--glob=!.git",
      ...(await toIgnoreArgs(folder)),
      "--regexp=",
      "--",
      "./",
    ],
    cwd: folder,
    separator: "\n",
    timeLimitMs: TIME_LIMIT_MS,
    signal,
    onRecord: (record) => {
      const at = record.indexOf("\0");
      if (at > 0)
        lines.set(
          record
            .slice(0, at)
            .replace(/^\.[\\/]/, "")
            .replaceAll(path.sep, "/"),
          Number(record.slice(at + 1)),
        );
      return true;
    },
  });
  return lines;
};
