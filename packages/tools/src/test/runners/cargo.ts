/** `cargo test`, by its text: the stable toolchain has no report for machines. */
import path from "node:path";
import type { TestFailure, TestReport, TestRunner } from "../test-runner.ts";

export const cargo: TestRunner = {
  name: "cargo test",
  isUsedBy: ({ names }) => names.has("Cargo.toml"),
  toCommand: async ({ project, path: named, filter }) => ({
    file: "cargo",
    args: [
      "test",
      "--no-fail-fast",
      "--color=never",
      ...toTarget(project.folder, named?.absolute),
      ...(filter === undefined ? [] : [filter]),
    ],
  }),
  toReport: ({ output }) => readText(output),
};

/** A file of `tests/` is a program of its own; other files have no tests that could be run alone. */
const toTarget = (folder: string, file: string | undefined): readonly string[] => {
  const [, name] = /^tests[\\/]([\w-]+)\.rs$/.exec(path.relative(folder, file ?? folder)) ?? [];
  return name === undefined ? [] : [`--test=${name}`];
};

const RESULT = /^test result: \S+ (\d+) passed; (\d+) failed; (\d+) ignored;/gm;

const readText = (output: string): TestReport | undefined => {
  const results = Array.from(output.matchAll(RESULT), ([, passed, failed, ignored]) => [passed, failed, ignored].map(Number));
  if (results.length === 0) return undefined;
  const sum = (at: number): number => results.reduce((total, numbers) => total + (numbers[at] ?? 0), 0);
  return { passed: sum(0), failed: sum(1), skipped: sum(2), failures: readFailures(output) };
};

/** Each failed test has said what is between its own heading and the next, or the list of names at the end. */
const readFailures = (output: string): readonly TestFailure[] => {
  const failures: TestFailure[] = [];
  for (const [, name, text] of output.matchAll(
    /^---- (.+?) (?:stdout|stderr) ----\n([\s\S]*?)(?=\n---- .+ ----\n|\n\nfailures:\n|(?![\s\S]))/gm,
  )) {
    const message = (text ?? "").trim();
    const [, file, line] = /panicked at (?:'.*', )?([^\s:]+\.rs):(\d+)/s.exec(message) ?? [];
    failures.push({
      name: (name ?? "").replaceAll("::", " > "),
      ...(file === undefined ? {} : { file, line: Number(line) }),
      message,
    });
  }
  return failures;
};
