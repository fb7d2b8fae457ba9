/** Runs the test runner, shows what it prints, and gives its report. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runNode } from "./run-node.ts";
import { toVitestReport, type VitestEnding } from "./test-outcome.ts";

export type VitestOptions = {
  readonly root: string;
  /** Which tests may be run at all: the long ones, the others, or both. */
  readonly tests: "short" | "long" | "all";
  readonly args: readonly string[];
  readonly signal: AbortSignal;
};

export const runVitest = async ({ root, tests, args, signal }: VitestOptions): Promise<VitestEnding> => {
  const folder = mkdtempSync(path.join(tmpdir(), "retinue-report-"));
  const file = path.join(folder, "vitest.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
    const { exitCode } = await runNode({
      args: ["node_modules/vitest/vitest.mjs", "run", ...reporters, ...args],
      cwd: root,
      env: { ...process.env, RETINUE_TESTS: tests, ...(process.stdout.isTTY ? {} : { NO_COLOR: "1" }) },
      output: "shown",
      signal,
    });
    return { exitCode, report: readReport(file) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const readReport = (file: string): VitestEnding["report"] => {
  try {
    return toVitestReport(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
};
