/** Jest, by its JSON report. */
import { readJestReport } from "../jest-report.ts";
import { toNamePattern } from "../name-pattern.ts";
import { findNode, findPackageProgram } from "../node-program.ts";
import type { TestRunner } from "../test-runner.ts";

export const jest: TestRunner = {
  name: "jest",
  isUsedBy: ({ testScript, packages, names }) =>
    testScript === undefined
      ? packages.has("jest") || [...names].some((name) => /^jest\.config\.([cm]?[jt]s|json)$/.test(name))
      : /\bjest\b/.test(testScript),
  toCommand: async ({ project, path, filter, reportFile }) => ({
    file: await findNode(),
    args: [
      await findPackageProgram(project.folder, "jest"),
      "--ci",
      "--json",
      `--outputFile=${reportFile}`,
      "--testLocationInResults",
      ...(filter === undefined ? [] : [`--testNamePattern=${toNamePattern(filter)}`]),
      // Otherwise a path is a regular expression to it.
      ...(path === undefined ? [] : path.isFolder ? [`${toNamePattern(path.absolute)}/`] : ["--runTestsByPath", path.absolute]),
    ],
  }),
  toReport: ({ report }) => (report === undefined ? undefined : readJestReport(report)),
};
