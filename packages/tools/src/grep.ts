/**
 * `grep`: lines of files or of an artifact by a pattern. The output is a first line in brackets with the totals, then for each file its
 * path with a colon, and below it two spaces, the line number, `:` for a match or `-` for context, a space and the text. With `filesOnly`
 * each file is one line: path, colon, number of matching lines.
 */
import { stat } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import type { Tool, ToolContext } from "@retinue/runtime";
import { createReadCheck, defineTool, isArtifactPath, readArtifactPath } from "@retinue/runtime";
import { z } from "zod";
import type { IsSecret } from "@retinue/confine";
import { createSecretCheck, openFolder, openRegularFile } from "@retinue/confine";
import { count, toModelText } from "@retinue/confine";
import { toToolError } from "@retinue/confine";
import { toAbsolutePath, toShownPath } from "@retinue/confine";
import { toGlobMatcher, toTypeArgs } from "@retinue/confine";
import { createLineCheck } from "./search/line-check.ts";
import type { ConfirmLines, FoundLine, MatchReport } from "./search/match-report.ts";
import { createMatchReport } from "./search/match-report.ts";
import type { RipgrepRun } from "@retinue/confine";
import { toIgnoreArgs } from "@retinue/confine";
import type { Gathering } from "./search/search-lines.ts";
import { searchLines } from "./search/search-lines.ts";

const DEFAULT_RESULTS = 100;
const MAX_COLUMNS = 300;
/** Matching lines are counted on after enough were shown, up to here. */
const MAX_COUNTED = 20_000;
const TIME_LIMIT_MS = 20_000;

const INPUT = z.object({
  pattern: z.string().min(1).max(5000).describe("Rust regex, line by line."),
  path: z.string().min(1).optional().describe('File, folder or "artifact:art_…"; default: all.'),
  glob: z.string().min(1).max(1000).optional().describe('Like "*.ts" or "!*.test.ts".'),
  ignoreCase: z.boolean().optional(),
  literal: z.boolean().optional(),
  context: z.number().int().min(0).max(20).optional(),
  maxResults: z.number().int().min(1).max(1000).optional(),
  filesOnly: z.boolean().optional(),
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
    description: "Searches file contents (ripgrep) or a kept output. Ignored, hidden and binary files only if path names them.",
    input: INPUT,
    effect: "read",
    timeoutMs: 60_000,
    touches: ({ path: named = "." }) => ({ paths: isArtifactPath(named) ? [] : [named] }),
    execute: async (input, context) => {
      await using target = await toTarget(input.path ?? ".", { ...context, isSecret });
      const matches = input.glob === undefined ? () => true : toGlobMatcher(input.glob);
      const isReadable = createReadCheck("grep", context.scope);
      /** Of a file that was named, policy has decided; of a folder it let through, the secrets in it stay unseen, and what rules keep. */
      const isLeftOut = (named: string): boolean => {
        const shown = target.show(named);
        return (shown !== target.shown && isSecret(shown)) || (!shown.startsWith("artifact:") && !isReadable(shown));
      };
      const { end, gathered: report } = await searchLines({
        args: [...toArgs(input), ...(input.glob === undefined ? [] : toTypeArgs(input.glob)), ...target.args],
        cwd: target.folder,
        ...(target.input === undefined ? {} : { input: target.input }),
        separator: "\n",
        timeLimitMs: TIME_LIMIT_MS,
        signal: context.signal,
        most: MAX_COUNTED,
        gather: (what) => gatherLines({ input, matches, isLeftOut, show: target.show, confirm: target.confirm, what }),
      });
      if (end !== "enough" && report.matches() === 0) {
        const where = `${target.shown}${input.glob === undefined ? "" : `, files ${input.glob}`}`;
        if (end === "time")
          throw new RetinueError("tool_timeout", `No match in ${where} after ${TIME_LIMIT_MS / 1000} s; the search was ended.`);
        return `No match for ${JSON.stringify(input.pattern)} in ${where}.`;
      }
      if (end === "enough") return toModelText(report.toFirstText(`about ${MAX_COUNTED} matching lines or more`));
      const more = end === "time" ? `; the search was ended after ${TIME_LIMIT_MS / 1000} s` : "";
      return toModelText(report.toText((lines, files) => `${count(lines, "matching line")} in ${count(files, "file")}${more}`));
    },
  });
};

type Lines = {
  readonly input: GrepInput;
  /** All four are given ripgrep's name of a file. */
  readonly matches: (named: string) => boolean;
  readonly isLeftOut: (named: string) => boolean;
  readonly show: (named: string) => string;
  readonly confirm: ConfirmLines;
  readonly what: "ordered" | "all" | "first";
};

/** Lines of the same file come one after the other. */
const gatherLines = ({ input, matches, isLeftOut, show, confirm, what }: Lines): MatchReport & Gathering => {
  const report = createMatchReport({
    maxResults: input.maxResults ?? DEFAULT_RESULTS,
    filesOnly: input.filesOnly ?? false,
    gaps: (input.context ?? 0) > 0,
    isLeftOut,
    show,
    confirm,
  });
  const hasContext = (input.context ?? 0) > 0 && input.filesOnly !== true;
  let named: string | undefined;
  let file: string | undefined;
  return {
    ...report,
    onRecord: (record) => {
      // Notes about binary files have no NUL, and separators of context neither.
      const end = record.indexOf("\0");
      if (end < 0) return;
      if (named === undefined || named.length !== end || !record.startsWith(named)) {
        named = record.slice(0, end);
        file = named.replace(/^\.[\\/]/, "").replaceAll(path.sep, "/");
        // Of the first ones it has to be known at once whether there is enough.
        if (!matches(file) || (what === "first" && isLeftOut(file))) file = undefined;
      }
      if (file === undefined) return;
      // Without context every record is a match; what it says is read only where it may be shown.
      if (hasContext || !(input.filesOnly === true || (what === "ordered" && report.isFull()))) {
        const line = toLine(record, end + 1, file);
        if (line) report.add(line);
      } else report.count(file);
    },
  };
};

const toArgs = (input: GrepInput): readonly string[] => [
  "--line-number",
  "--byte-offset",
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
  readonly confirm: ConfirmLines;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

const BELIEVE: ConfirmLines = (_, lines) => lines;

const toTarget = async (
  named: string,
  { workspace, artifacts, isSecret }: Pick<ToolContext, "workspace" | "artifacts"> & { readonly isSecret: IsSecret },
): Promise<Target> => {
  const fromInput = { folder: workspace, args: ["--", "-"], confirm: BELIEVE };
  const text = await readArtifactPath(named, artifacts);
  if (text !== undefined)
    return { ...fromInput, input: text, shown: named, show: () => named, [Symbol.asyncDispose]: async () => undefined };
  const absolute = toAbsolutePath(workspace, named);
  const shown = toShownPath(workspace, absolute);
  const stats = await stat(absolute).catch((thrown: unknown) => {
    throw toToolError(thrown, shown);
  });
  if (stats.isDirectory()) {
    const opened = await openFolder({ workspace, absolute, shown, isSecret });
    return {
      folder: opened.held,
      args: [...(await toIgnoreArgs(opened.real)), "--", "./"],
      shown,
      show: (file) => toShownPath(workspace, path.join(absolute, file)),
      confirm: createLineCheck({ folder: opened.real, workspace, isSecret }),
      [Symbol.asyncDispose]: opened[Symbol.asyncDispose],
    };
  }
  // What was opened and judged is what is searched; ripgrep would wait for ever for what a FIFO brings.
  const { handle } = await openRegularFile({ workspace, absolute, shown, isSecret });
  return { ...fromInput, input: handle.fd, shown, show: () => shown, [Symbol.asyncDispose]: () => handle.close() };
};

/** The number of the line stands before `:` for a match and `-` for context, and so does the number of its first byte. */
const toLine = (record: string, start: number, file: string): FoundLine | undefined => {
  let at = start;
  while (isDigit(record.charCodeAt(at))) at += 1;
  const sign = record[at];
  if (at === start || (sign !== ":" && sign !== "-")) return undefined;
  let end = at + 1;
  while (isDigit(record.charCodeAt(end))) end += 1;
  if (end === at + 1 || record[end] !== sign) return undefined;
  const text = record.slice(end + 1, record.endsWith("\r") ? -1 : undefined);
  return {
    file,
    number: Number(record.slice(start, at)),
    offset: Number(record.slice(at + 1, end)),
    isMatch: sign === ":",
    text,
  };
};

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
