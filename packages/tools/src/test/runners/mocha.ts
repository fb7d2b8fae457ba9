/** Mocha, by its JSON reporter. */
import path from "node:path";
import { z } from "zod";
import { parseJson } from "../parse-json.ts";
import { findNode, findPackageProgram } from "../node-program.ts";
import type { TestReport, TestRunner } from "../test-runner.ts";

const REPORT = z.object({
  stats: z.object({ passes: z.number(), failures: z.number(), pending: z.number() }),
  failures: z.array(
    z.object({
      fullTitle: z.string(),
      file: z.string().nullish(),
      err: z.object({ message: z.string().optional(), stack: z.string().optional() }),
    }),
  ),
});

/** Mocha takes the folder off the paths of a trace, so that only the name of the file is sure to stand in it. */
const findLine = (trace: string, name: string): number | undefined => {
  const at = trace.indexOf(`${name}:`);
  const line = at < 0 ? Number.NaN : Number.parseInt(trace.slice(at + name.length + 1), 10);
  return Number.isNaN(line) ? undefined : line;
};

export const mocha: TestRunner = {
  name: "mocha",
  isUsedBy: ({ testScript, packages, names }) =>
    testScript === undefined
      ? packages.has("mocha") || [...names].some((name) => name.startsWith(".mocharc."))
      : /\bmocha\b/.test(testScript),
  toCommand: async ({ project, path: named, filter, reportFile }) => ({
    file: await findNode(),
    args: [
      await findPackageProgram(project.folder, "mocha"),
      "--reporter=json",
      `--reporter-option=output=${reportFile}`,
      ...(filter === undefined ? [] : [`--fgrep=${filter}`]),
      ...(named === undefined ? [] : [...(named.isFolder ? ["--recursive"] : []), named.absolute]),
    ],
  }),
  toReport: ({ report }) => (report === undefined ? undefined : readReport(report)),
};

const readReport = (text: string): TestReport | undefined => {
  const read = REPORT.safeParse(parseJson(text));
  if (!read.success) return undefined;
  const { stats, failures } = read.data;
  return {
    passed: stats.passes,
    failed: stats.failures,
    skipped: stats.pending,
    failures: failures.map(({ fullTitle, file, err }) => {
      const message = err.stack ?? err.message ?? "";
      const line = file == null ? undefined : findLine(message, path.basename(file));
      return {
        name: fullTitle,
        ...(file == null ? {} : { file }),
        ...(line === undefined ? {} : { line }),
        message,
      };
    }),
  };
};
