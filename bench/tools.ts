/**
 * `npm run bench:tools`: the tools at scale, with what they must not exceed. Searches of 100,000 files beside ripgrep itself in the same run,
 * code_search on 10,000 source files, calls of git beside git itself, and 10 GB of output of a command. `--rounds N`, `--files N`, `--sources N`,
 * `--bytes N`, `--calls N`, `--only search|code|git|output`.
 */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs, promisify } from "node:util";
import { measureCodeSearch } from "../packages/tools/src/code/measure-code-search.ts";
import { createTestWorkspace } from "../packages/confine/src/testing/index.ts";
import { writeSearchTree } from "./search-tree.ts";
import { measureGit } from "./tools-git.ts";
import type { OutputSample } from "./tools-output.ts";
import { measureSearch } from "./tools-search.ts";

const HERE = import.meta.dirname;
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "9" },
    files: { type: "string", default: "100000" },
    sources: { type: "string", default: "10000" },
    bytes: { type: "string", default: "10000000000" },
    calls: { type: "string", default: "50" },
    only: { type: "string" },
  },
});

type Row = {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly most?: number;
  readonly note?: string;
};
const rows: Row[] = [];
const add = (row: Row): void => {
  const { what, value, unit, most, note = "" } = row;
  rows.push(row);
  const bound = most === undefined ? "" : `at most ${most}${value > most ? "  OVER" : ""}`;
  console.log(`${what.padEnd(52)}${`${value.toFixed(value < 10 ? 2 : 0)} ${unit}`.padStart(12)}  ${bound.padEnd(20)}${note}`);
};
const isWanted = (part: string): boolean => values.only === undefined || values.only === part;
const median = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[all.length >> 1] ?? Number.NaN;

const benchSearch = async (): Promise<void> => {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), "retinue-bench-")));
  try {
    const root = path.join(base, "tree");
    mkdirSync(root);
    const { files, bytes } = writeSearchTree(root, Number(values.files));
    console.log(`\n${files} files of ${Math.round(bytes / 1e6)} MB in all; times of the tool over those of ripgrep`);
    await using test = await createTestWorkspace();
    for (const { what, ripgrepMs, toolMs } of await measureSearch({ ...test.context, workspace: root }, Number(values.rounds))) {
      const [ripgrep, tool] = [median(ripgrepMs), median(toolMs)];
      add({ what, value: tool / ripgrep, unit: "x", most: 1.5, note: `${tool.toFixed(0)} ms to ${ripgrep.toFixed(0)} ms` });
    }
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
};

const benchCode = async (): Promise<void> => {
  console.log(`\ncode_search on ${values.sources} source files`);
  const measures = await measureCodeSearch({ files: Number(values.sources), repeats: Number(values.rounds) });
  add({ what: "the index is made, once", value: measures.buildMs / 1000, unit: "s" });
  add({ what: "longest pause of this thread meanwhile", value: measures.longestPauseMs, unit: "ms" });
  for (const [what, value] of Object.entries(measures.answerMs)) add({ what: `answer, ${what}`, value, unit: "ms", most: 100 });
  add({ what: "answer after a file was changed", value: measures.changedMs, unit: "ms", most: 100 });
  add({ what: "answer after a file was added", value: measures.addedMs, unit: "ms", most: 100 });
};

const benchGit = async (): Promise<void> => {
  console.log(`\n${values.calls} calls of git each; what a call of the tool takes over git itself`);
  for (const { what, bareMs, toolMs } of await measureGit(Number(values.calls))) {
    const [bare, tool] = [median(bareMs), median(toolMs)];
    add({ what, value: tool - bare, unit: "ms", most: 25, note: `${tool.toFixed(1)} ms to ${bare.toFixed(1)} ms` });
  }
};

const benchOutput = async (): Promise<void> => {
  console.log(`\n${Number(values.bytes) / 1e9} GB of output of a command`);
  for (const form of ["lines", "one line"]) {
    const args = [path.join(HERE, "tools-output.ts"), values.bytes, form];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const sample = JSON.parse(stdout) as OutputSample;
    if (!sample.said.startsWith("[exit code 0")) throw new Error(`${form}: ${sample.said}`);
    // A flood that takes nothing was not measured.
    if (!(sample.memoryMib > 0 && sample.spoolMib > 0)) throw new Error(`${form}: nothing was measured`);
    add({ what: `memory, ${form}`, value: sample.memoryMib, unit: "MiB", most: 64, note: `${sample.seconds.toFixed(0)} s` });
    add({ what: `kept on disk, ${form}`, value: sample.spoolMib, unit: "MiB", most: 8 });
  }
};

if (isWanted("search")) await benchSearch();
if (isWanted("code")) await benchCode();
if (isWanted("git")) await benchGit();
if (isWanted("output")) await benchOutput();

const over = rows.filter(({ value, most }) => !(value <= (most ?? Infinity))).length;
mkdirSync(path.join(HERE, "results"), { recursive: true });
writeFileSync(path.join(HERE, "results", "tools.json"), `${JSON.stringify({ node: process.version, rows }, null, 2)}\n`);
console.log(over === 0 ? "\nall within their bounds" : `\n${over} over their bounds`);
process.exitCode = over === 0 ? 0 : 1;
