/**
 * `grep`: lines of files or of an artifact by a pattern. The output is a first line in brackets with the totals, then for each file its
 * path with a colon, and below it two spaces, the line number, `:` for a match or `-` for context, a space and the text. With `filesOnly`
 * each file is one line: path, colon, number of matching lines.
 */
import { stat } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import type { Tool, ToolContext } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import { createSecretCheck } from "./git/secret-paths.ts";
import { readArtifactPath } from "./files/artifact-path.ts";
import { count, toModelText } from "./files/output-text.ts";
import { toToolError } from "./files/system-error.ts";
import { toAbsolutePath, toShownPath } from "./files/workspace-path.ts";
import { toGlobMatcher } from "./search/glob-pattern.ts";
import type { MatchReport } from "./search/match-report.ts";
import { createMatchReport } from "./search/match-report.ts";
import type { RipgrepRun } from "./search/ripgrep.ts";
import { toIgnoreArgs } from "./search/ripgrep.ts";
import type { Gathering } from "./search/search-lines.ts";
import { searchLines } from "./search/search-lines.ts";

const DEFAULT_RESULTS = 100;
const MAX_COLUMNS = 300;
/** Matching lines are counted on after enough were shown, up to here. */
const MAX_COUNTED = 20_000;
const TIME_LIMIT_MS = 20_000;

const INPUT = z.object({
  pattern: z.string().min(1).max(5000).describe("A regular expression in Rust's syntax, matched line by line."),
  path: z
    .string()
    .min(1)
    .optional()
    .describe('A file or folder, the workspace by default; or "artifact:art_…" for a kept output.'),
  glob: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('Only files whose path matches, such as "*.ts", "src/**" or "!*.test.ts".'),
  ignoreCase: z.boolean().optional(),
  literal: z.boolean().optional().describe("Take the pattern as plain text."),
  context: z.number().int().min(0).max(20).optional().describe("How many lines to show before and after each match."),
  maxResults: z
    .number()
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe(`How many matching lines to show, ${DEFAULT_RESULTS} by default.`),
  filesOnly: z.boolean().optional().describe("Give only the files and how many lines match in each."),
});

export type GrepInput = z.infer<typeof INPUT>;

export type GrepOptions = {
  /** Globs of protected paths, relative to the workspace, that the user has set free. */
  readonly unprotected?: readonly string[];
};

export const createGrepTool = ({ unprotected }: GrepOptions = {}): Tool<GrepInput> => {
  const isSecret = createSecretCheck(unprotected);
  return defineTool({
    name: "grep",
    description:
      "Searches file contents by regular expression (ripgrep). Files that .gitignore excludes, hidden and binary files are left out " +
      "unless path names them. Also searches kept outputs by their artifact: name.",
    input: INPUT,
    effect: "read",
    timeoutMs: 60_000,
    touches: ({ path: named }) => ({ paths: [named ?? "."] }),
    execute: async (input, context) => {
      const target = await toTarget(input.path ?? ".", context);
      const matches = input.glob === undefined ? () => true : toGlobMatcher(input.glob);
      /** Our name of a file, or none where its lines are not wanted. */
      const toFile = (named: string): string | undefined => {
        if (!matches(named)) return undefined;
        const file = target.show(named);
        // Of a file that was named, policy has decided; of a folder it let through, the secrets in it stay unseen.
        return file !== target.shown && isSecret(file) ? undefined : file;
      };
      const { end, gathered: report } = await searchLines({
        args: [...toArgs(input), ...target.args],
        cwd: target.folder,
        ...(target.input === undefined ? {} : { input: target.input }),
        separator: "\n",
        timeLimitMs: TIME_LIMIT_MS,
        signal: context.signal,
        most: MAX_COUNTED,
        gather: () => gatherLines(input, toFile),
      });
      if (report.matches() === 0) {
        const where = `${target.shown}${input.glob === undefined ? "" : `, files ${input.glob}`}`;
        if (end === "time")
          throw new RetinueError("tool_timeout", `No match in ${where} after ${TIME_LIMIT_MS / 1000} s; the search was ended.`);
        return `No match for ${JSON.stringify(input.pattern)} in ${where}.`;
      }
      const more = end === "done" ? "" : end === "time" ? `; the search was ended after ${TIME_LIMIT_MS / 1000} s` : " or more";
      return toModelText(report.toText((lines, files) => `${count(lines, "matching line")} in ${count(files, "file")}${more}`));
    },
  });
};

/** Lines of the same file come one after the other. */
const gatherLines = (input: GrepInput, toFile: (named: string) => string | undefined): MatchReport & Gathering => {
  const report = createMatchReport({
    maxResults: input.maxResults ?? DEFAULT_RESULTS,
    filesOnly: input.filesOnly ?? false,
    gaps: (input.context ?? 0) > 0,
  });
  let named: string | undefined;
  let file: string | undefined;
  return {
    ...report,
    found: report.matches,
    onRecord: (record) => {
      const line = toLine(record);
      if (!line) return true;
      if (line.file !== named) file = toFile((named = line.file));
      if (file !== undefined) report.add({ ...line, file });
      return true;
    },
  };
};

const toArgs = (input: GrepInput): readonly string[] => [
  "--line-number",
  "--with-filename",
  "--no-heading",
  "--null",
  `--max-columns=${MAX_COLUMNS}`,
  "--max-columns-preview",
  ...(input.ignoreCase === true ? ["--ignore-case"] : []),
  ...(input.literal === true ? ["--fixed-strings"] : []),
  ...(input.context === undefined || input.filesOnly === true ? [] : [`--context=${input.context}`]),
  `--regexp=${input.pattern}`,
];

type Target = Pick<RipgrepRun, "args" | "input"> & {
  readonly folder: string;
  readonly shown: string;
  /** From ripgrep's name of a file to ours. */
  readonly show: (file: string) => string;
};

const toTarget = async (named: string, { workspace, artifacts }: ToolContext): Promise<Target> => {
  const text = await readArtifactPath(named, artifacts);
  if (text !== undefined) return { folder: workspace, args: ["--", "-"], input: text, shown: named, show: () => named };
  const absolute = toAbsolutePath(workspace, named);
  const shown = toShownPath(workspace, absolute);
  const stats = await stat(absolute).catch((thrown: unknown) => {
    throw toToolError(thrown, shown);
  });
  if (stats.isDirectory()) {
    const show = (file: string): string => toShownPath(workspace, path.join(absolute, file));
    return { folder: absolute, args: [...(await toIgnoreArgs(absolute)), "--", "./"], shown, show };
  }
  // ripgrep would wait for ever for what a FIFO brings.
  if (!stats.isFile()) throw new RetinueError("tool_failed", `${shown} is no regular file but a device, FIFO or socket.`);
  return { folder: path.dirname(absolute), args: ["--", `./${path.basename(absolute)}`], shown, show: () => shown };
};

const toLine = (record: string): { file: string; number: number; isMatch: boolean; text: string } | undefined => {
  // Notes about binary files have no NUL, and separators of context neither.
  const [, file, number, sign, text] = /^(?:\.[\\/])?([^\0]+)\0(\d+)([:-])(.*)$/s.exec(record) ?? [];
  if (file === undefined || number === undefined || text === undefined) return undefined;
  return {
    file: path.sep === "/" ? file : file.replaceAll(path.sep, "/"),
    number: Number(number),
    isMatch: sign === ":",
    text: text.replace(/\r$/, ""),
  };
};
