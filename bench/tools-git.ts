/** Calls of git by the tools beside git itself: the same question to the same repository, without and with all that keeps the call to its place. */
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { TestRepository } from "../packages/confine/src/testing/index.ts";
import { createTestRepository, toText } from "../packages/confine/src/testing/index.ts";
import { createGitCommitTool } from "../packages/tools/src/git/git-commit.ts";
import { createGitDiffTool } from "../packages/tools/src/git/git-diff.ts";
import { createGitTool } from "../packages/tools/src/git/git.ts";

export type GitSample = { readonly what: string; readonly bareMs: readonly number[]; readonly toolMs: readonly number[] };

type Question = {
  readonly what: string;
  /** What somebody would type. */
  readonly bare: readonly (readonly string[])[];
  readonly ask: (test: TestRepository) => Promise<string>;
  readonly expected: RegExp;
  /** Before each of both. */
  readonly prepare?: (test: TestRepository, round: number) => void;
};

const git = (...args: string[]) => {
  return async ({ environment, context }: TestRepository): Promise<string> =>
    toText(await createGitTool({ environment }).execute({ args }, context));
};

const change = (test: TestRepository, round: number): void =>
  writeFileSync(test.at("file-0/0.txt"), `round ${round} ${Math.random()}\n`);

const QUESTIONS: readonly Question[] = [
  { what: "git status", bare: [["status", "-s"]], ask: git("status", "-s"), expected: / M file-1\/1\.txt/ },
  { what: "git log", bare: [["log", "-5"]], ask: git("log", "-5"), expected: /^commit / },
  { what: "git show HEAD", bare: [["show", "--stat", "HEAD"]], ask: git("show", "--stat", "HEAD"), expected: /^commit / },
  {
    what: "git_diff",
    bare: [["diff"], ["ls-files", "--others", "--exclude-standard"]],
    ask: async ({ environment, context }) => toText(await createGitDiffTool({ environment }).execute({}, context)),
    expected: /file-1\/1\.txt/,
  },
  {
    what: "git_commit",
    bare: [
      ["add", "file-0/0.txt"],
      ["commit", "--quiet", "--message=bench", "--only", "--", "file-0/0.txt"],
    ],
    prepare: change,
    ask: async ({ environment, context }) =>
      toText(await createGitCommitTool({ environment }).execute({ message: "bench", paths: ["file-0/0.txt"] }, context)),
    expected: /^Committed /,
  },
];

const FOLDERS = 100;
const FILES_A_FOLDER = 20;

/** Rounds alternate, so that whatever else the machine does is felt by both. */
export const measureGit = async (rounds: number): Promise<readonly GitSample[]> => {
  await using test = await createTestRepository({ "first.txt": "first\n" });
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    mkdirSync(test.at(`file-${folder}`));
    for (let file = 0; file < FILES_A_FOLDER; file += 1)
      writeFileSync(test.at(path.join(`file-${folder}`, `${file}.txt`)), `${folder} ${file}\n`);
  }
  await test.git("add", "--all");
  await test.git("commit", "--quiet", "--message=second");
  writeFileSync(test.at("file-1/1.txt"), "changed\n");
  const samples: GitSample[] = [];
  for (const { what, bare, ask, expected, prepare } of QUESTIONS) {
    const bareMs: number[] = [];
    const toolMs: number[] = [];
    // The first ones warm the disk's cache and this program.
    for (let round = -3; round < rounds; round += 1) {
      prepare?.(test, round);
      let from = performance.now();
      for (const args of bare) await runBare(test, args);
      const bareTook = performance.now() - from;
      prepare?.(test, round);
      from = performance.now();
      const said = await ask(test);
      const toolTook = performance.now() - from;
      if (!expected.test(said)) throw new Error(`${what}: ${said.slice(0, 200)}`);
      if (round < 0) continue;
      bareMs.push(bareTook);
      toolMs.push(toolTook);
    }
    samples.push({ what, bareMs, toolMs });
  }
  return samples;
};

const runBare = ({ workspace, environment }: TestRepository, args: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn("git", args, { cwd: workspace, env: environment, stdio: ["ignore", "pipe", "inherit"] });
    child.stdout.on("data", () => undefined);
    child.once("error", reject);
    child.once("close", () => resolve());
  });
