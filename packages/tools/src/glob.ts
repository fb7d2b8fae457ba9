/** `glob`: files by the pattern of their path. The output is a first line in brackets with the total, then one path a line. */
import { realpathSync } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import type { Tool } from "@retinue/runtime";
import { createReadCheck, defineTool } from "@retinue/runtime";
import { z } from "zod";
import { count, MAX_OUTPUT_CHARS } from "@retinue/confine";
import { createSecretCheck, openFolder } from "@retinue/confine";
import { toAbsolutePath, toShownPath } from "@retinue/confine";
import type { OpenedFolder } from "@retinue/confine";
import { toGlobMatcher, toTypeArgs } from "@retinue/confine";
import { byPath, listUnordered } from "@retinue/confine";

const DEFAULT_LIMIT = 200;
/** Looking up times is what costs; beyond this many files they are given by path. */
const MAX_DATED = 20_000;
const STATS_AT_ONCE = 64;

const INPUT = z.object({
  pattern: z.string().min(1).max(1000).describe('Like "src/**/*.ts", or "*.md" in any folder.'),
  path: z.string().min(1).optional(),
  order: z.enum(["path", "newest"]).optional(),
  limit: z.number().int().min(1).max(2000).optional(),
});

export type GlobInput = z.infer<typeof INPUT>;

export type GlobOptions = {
  /** Globs of protected paths, relative to the workspace, that the user has set free. */
  readonly unprotected?: readonly string[];
};

export const createGlobTool = ({ unprotected }: GlobOptions = {}): Tool<GlobInput> => {
  const isSecret = createSecretCheck(unprotected);
  return defineTool({
    name: "glob",
    description: "Finds files by path: hidden ones too, ignored ones not.",
    input: INPUT,
    effect: "read",
    timeoutMs: 60_000,
    touches: ({ path: folder }) => ({ paths: [folder ?? "."] }),
    execute: async ({ pattern, path: named, order, limit }, { workspace, scope, signal }) => {
      if (path.isAbsolute(pattern) || pattern.split("/").includes(".."))
        throw new RetinueError("tool_failed", `The pattern "${pattern}" leads out of the folder it is looked for in.`, {
          hint: "Patterns are relative; give the folder as path.",
        });
      const folder = toAbsolutePath(workspace, named ?? ".");
      const shownFolder = toShownPath(workspace, folder);
      await using opened = await openFolder({ workspace, absolute: folder, shown: shownFolder, isSecret });
      const matches = toGlobMatcher(pattern);
      const list = await listUnordered(opened, signal, toTypeArgs(pattern));
      const isReadable = createReadCheck("glob", scope);
      const found = list.files.filter((file) => matches(file) && isReadable(toShownPath(workspace, path.join(folder, file))));
      if (found.length === 0)
        return `No file matches "${pattern}" in ${shownFolder === "." ? "the workspace" : shownFolder}.${list.whole ? "" : ` ${UNFINISHED}`}`;
      const newest = order === "newest" && found.length <= MAX_DATED;
      const ordered = newest ? await byAge(opened.held, found) : found.toSorted();
      const lines = fitting(
        ordered
          .slice(0, limit ?? DEFAULT_LIMIT)
          .filter(isBelow(opened))
          .map((file) => toShownPath(workspace, path.join(folder, file))),
      );
      const total = `${lines.length < found.length ? `showing ${lines.length} of ` : ""}${count(found.length, "file")}`;
      return [`[${total}${newest ? ", newest first" : ""}${list.whole ? "" : `. ${UNFINISHED}`}]`, ...lines].join("\n");
    },
  });
};

/** Whether a file lies where it was found: a folder on the way may have given way to a link while it was looked for. */
const isBelow =
  ({ real }: OpenedFolder) =>
  (file: string): boolean => {
    try {
      const at = path.join(real, file);
      return realpathSync.native(at) === at;
    } catch {
      return false;
    }
  };

const UNFINISHED = "There are more files than could be looked at; name a folder as path.";

const fitting = (lines: readonly string[]): readonly string[] => {
  let chars = 0;
  const end = lines.findIndex((line) => (chars += line.length + 1) > MAX_OUTPUT_CHARS - 200);
  return end < 0 ? lines : lines.slice(0, Math.max(end, 1));
};

const byAge = async (folder: string, files: readonly string[]): Promise<readonly string[]> => {
  const dated: { readonly file: string; readonly changedMs: number }[] = [];
  for (let at = 0; at < files.length; at += STATS_AT_ONCE) {
    const changed = files.slice(at, at + STATS_AT_ONCE).map(async (file) => ({
      file,
      // A file that has just gone is the oldest.
      changedMs: await stat(path.join(folder, file)).then(
        (stats) => stats.mtimeMs,
        () => 0,
      ),
    }));
    dated.push(...(await Promise.all(changed)));
  }
  return dated.toSorted((a, b) => b.changedMs - a.changedMs || byPath(a.file, b.file)).map(({ file }) => file);
};
