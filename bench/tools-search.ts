/**
 * `grep` and `glob` beside ripgrep itself: the same program, the same tree, the same question. Ripgrep may answer as it likes best, in any
 * order and with all cores; its output is read and thrown away, as far as the tool reads it too.
 */
import { spawn } from "node:child_process";
import { rgPath } from "@vscode/ripgrep";
import type { Tool, ToolContext } from "@retinue/runtime";
import { createGlobTool } from "../packages/tools/src/glob.ts";
import { createGrepTool } from "../packages/tools/src/grep.ts";
import { COMMON, RARE } from "./search-tree.ts";

export type SearchSample = { readonly what: string; readonly ripgrepMs: readonly number[]; readonly toolMs: readonly number[] };

/** After so many matching lines the tool has enough. */
const MOST_LINES = 20_000;

type Question = {
  readonly what: string;
  /** For ripgrep. */
  readonly args: readonly string[];
  readonly mostLines?: number;
  readonly ask: (context: ToolContext) => Promise<string>;
  /** Whether the answer is the right one. */
  readonly expected: RegExp;
};

const call = async <Input>(tool: Tool<Input>, input: Input, context: ToolContext): Promise<string> => {
  const output = await tool.execute(input, context);
  return typeof output === "string" ? output : JSON.stringify(output.content);
};

const grep = createGrepTool();
const glob = createGlobTool();
const LINES = ["--no-config", "--color=never", "--line-number", "--with-filename", "--no-heading"];
const FILES = ["--no-config", "--files", "--hidden", "--glob=!.git"];
const REGEX = String.raw`step\d+7x2\d = .*\+ 2[3-5], "\d*99\d"`;

const QUESTIONS: readonly Question[] = [
  {
    what: "grep, a rare word",
    args: [...LINES, "--fixed-strings", RARE, "./"],
    ask: (context) => call(grep, { pattern: RARE, literal: true }, context),
    expected: /^\[100 matching lines in 100 files\]\narea/,
  },
  {
    what: "grep, a word that is everywhere",
    args: [...LINES, "--fixed-strings", COMMON, "./"],
    mostLines: MOST_LINES,
    ask: (context) => call(grep, { pattern: COMMON, literal: true }, context),
    expected: /^\[about 20000 matching lines or more; showing the first 100\]\narea0\//,
  },
  {
    what: "grep, a regular expression",
    args: [...LINES, "--regexp", REGEX, "./"],
    ask: (context) => call(grep, { pattern: REGEX }, context),
    expected: /^\[\d+ matching lines in \d+ files/,
  },
  {
    what: "glob **/*.ts",
    args: [...FILES, "--glob=**/*.ts"],
    ask: (context) => call(glob, { pattern: "**/*.ts" }, context),
    expected: /^\[showing 200 of 2\d{4} files\]\narea0\//,
  },
  {
    what: "glob, nothing fits",
    args: [...FILES, "--glob=src/**/*.nothing"],
    ask: (context) => call(glob, { pattern: "src/**/*.nothing" }, context),
    expected: /^No file matches/,
  },
];

/** Rounds alternate, so that whatever else the machine does is felt by both. */
export const measureSearch = async (context: ToolContext, rounds: number): Promise<readonly SearchSample[]> => {
  const samples: SearchSample[] = [];
  for (const { what, args, mostLines, ask, expected } of QUESTIONS) {
    const ripgrepMs: number[] = [];
    const toolMs: number[] = [];
    // The first one warms the disk's cache and this program.
    for (let round = -1; round < rounds; round += 1) {
      const ripgrep = await timeRipgrep(args, context.workspace, mostLines);
      const from = performance.now();
      const said = await ask(context);
      const tool = performance.now() - from;
      if (!expected.test(said)) throw new Error(`${what}: ${said.slice(0, 200)}`);
      if (round < 0) continue;
      ripgrepMs.push(ripgrep);
      toolMs.push(tool);
    }
    samples.push({ what, ripgrepMs, toolMs });
  }
  return samples;
};

const NEWLINE = 10;

const timeRipgrep = (args: readonly string[], cwd: string, mostLines = Infinity): Promise<number> =>
  new Promise((resolve, reject) => {
    const from = performance.now();
    const child = spawn(rgPath, args, { cwd, stdio: ["ignore", "pipe", "inherit"] });
    let lines = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      if (mostLines === Infinity) return;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1;
      if (lines >= mostLines) child.kill("SIGKILL");
    });
    child.once("error", reject);
    child.once("close", () => resolve(performance.now() - from));
  });
