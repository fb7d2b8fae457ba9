/** Python's own unittest, for projects whose test files use it and that do not name pytest. */
import path from "node:path";
import type { Project } from "../project.ts";
import type { TestReport, TestRunner } from "../test-runner.ts";
import { findPython } from "./find-python.ts";

export const unittest: TestRunner = {
  name: "unittest",
  isUsedBy: (project) => usesUnittest(project),
  toCommand: async ({ project, path: named, filter }) => ({
    file: await findPython(project.folder),
    args: [
      "-m",
      "unittest",
      ...(named === undefined
        ? ["discover"]
        : named.isFolder
          ? ["discover", "-s", named.absolute]
          : [path.relative(project.folder, named.absolute)]),
      ...(filter === undefined ? [] : ["-k", filter]),
    ],
  }),
  toReport: ({ output }) => readSummary(output),
};

const usesUnittest = ({ names, read }: Project): boolean =>
  [...names].some((name) => /^test.*\.py$/.test(name) && /^\s*(?:import|from) unittest\b/m.test(read(name)));

/** `Ran 3 tests in 0.001s`, then `OK (skipped=1)` or `FAILED (failures=1, errors=1)`. */
const readSummary = (output: string): TestReport | undefined => {
  const ran = /^Ran (\d+) tests? in /m.exec(output)?.[1];
  const end = /^(?:OK|FAILED)(?: \(([^)]*)\))?\s*$/m.exec(output);
  if (ran === undefined || !end) return undefined;
  const countOf = (what: string): number => Number(new RegExp(`\\b${what}=(\\d+)`).exec(end[1] ?? "")?.[1] ?? 0);
  const failed = countOf("failures") + countOf("errors") + countOf("unexpected successes");
  const skipped = countOf("skipped");
  const failures = [...output.matchAll(/^(?:FAIL|ERROR): (?<name>[^\n]+)\n-+\n(?<message>[\s\S]*?)(?=\n(?:=|-){20,})/gm)].map(
    ({ groups }) => ({
      name: groups?.["name"] ?? "",
      message: (groups?.["message"] ?? "").trim(),
    }),
  );
  return { passed: Math.max(0, Number(ran) - failed - skipped), failed, skipped, failures };
};
