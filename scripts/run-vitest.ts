/** Runs the test runner, shows what it prints, and gives its report. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createMemoryFolder } from "./memory-folder.ts";
import { runNode } from "./run-node.ts";
import { toVitestReport, type VitestEnding } from "./test-outcome.ts";

export type VitestOptions = {
  readonly root: string;
  /** Which tests may be run at all: the long ones, the others, or both. */
  readonly tests: "short" | "long" | "all";
  readonly args: readonly string[];
  /** Where temporary files of the tests lie; in memory only where the machine allows it. The disk, unless told. */
  readonly temporary?: "memory" | "disk";
  readonly signal: AbortSignal;
};

export const runVitest = async ({ root, tests, args, temporary, signal }: VitestOptions): Promise<VitestEnding> => {
  const folder = mkdtempSync(path.join(tmpdir(), "retinue-report-"));
  const file = path.join(folder, "vitest.json");
  const memory = temporary === "memory" ? createMemoryFolder() : undefined;
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
    const { exitCode } = await runNode({
      args: ["node_modules/vitest/vitest.mjs", "run", ...reporters, ...args],
      cwd: root,
      env: {
        ...process.env,
        RETINUE_TESTS: tests,
        ...(process.stdout.isTTY ? {} : { NO_COLOR: "1" }),
        ...(memory === undefined ? {} : { TMPDIR: memory.path }),
      },
      ...(memory === undefined ? {} : { by: memory.by }),
      output: "shown",
      signal,
    });
    return { exitCode, report: readReport(file) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
    memory?.remove();
  }
};

const readReport = (file: string): VitestEnding["report"] => {
  try {
    return toVitestReport(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
};
