/** Vitest, by its JSON reporter. */
import { readJestReport } from "../jest-report.ts";
import { toNamePattern } from "../name-pattern.ts";
import { findNode, findPackageProgram } from "../node-program.ts";
import type { TestRunner } from "../test-runner.ts";

export const vitest: TestRunner = {
  name: "vitest",
  isUsedBy: ({ testScript, packages, names }) =>
    testScript === undefined
      ? packages.has("vitest") || [...names].some((name) => /^vitest\.config\.[cm]?[jt]s$/.test(name))
      : /\bvitest\b/.test(testScript),
  toCommand: async ({ project, path, filter, reportFile }) => ({
    file: await findNode(),
    args: [
      await findPackageProgram(project.folder, "vitest"),
      "run",
      "--reporter=json",
      `--outputFile=${reportFile}`,
      ...(filter === undefined ? [] : [`--testNamePattern=${toNamePattern(filter)}`]),
      ...(path === undefined ? [] : [path.absolute]),
    ],
  }),
  toReport: ({ report }) => (report === undefined ? undefined : readJestReport(report)),
};
