/** pytest, by its JUnit report. */
import { RetinueError } from "@retinue/protocol";
import { readJunitReport } from "../junit-report.ts";
import type { Project } from "../project.ts";
import type { TestRunner } from "../test-runner.ts";
import { findPython } from "./find-python.ts";

export const pytest: TestRunner = {
  name: "pytest",
  isUsedBy: (project) =>
    ["pytest.ini", "conftest.py"].some((name) => project.names.has(name)) ||
    /\[tool\.pytest|\[tool:pytest\]|\bpytest\b/.test(["pyproject.toml", "setup.cfg", "tox.ini"].map(project.read).join("\n")) ||
    isPython(project),
  toCommand: async ({ project, path: named, filter, reportFile }) => ({
    file: await findPython(project.folder),
    args: [
      "-m",
      "pytest",
      "-q",
      "--color=no",
      `--junitxml=${reportFile}`,
      // The older form names file and line.
      "-o",
      "junit_family=xunit1",
      ...(filter === undefined ? [] : ["-k", filter]),
      ...(named === undefined ? [] : [named.absolute]),
    ],
  }),
  toReport: ({ report, output }) => {
    if (report !== undefined) return readJunitReport(report, { toName, toPlace });
    if (/No module named ['"]?pytest/.test(output))
      throw new RetinueError("tool_failed", "The project is tested with pytest, which this Python does not have.", {
        hint: "Install it, for example with python3 -m pip install pytest, or make a .venv that has it.",
      });
    return undefined;
  },
};

/** Test files by their names alone, or folders of tests beside a manifest. */
const isPython = ({ names }: Project): boolean =>
  [...names].some((name) => /^(test_.*|.*_test)\.py$/.test(name)) ||
  (["pyproject.toml", "setup.py", "requirements.txt"].some((name) => names.has(name)) &&
    ["tests", "test"].some((name) => names.has(name)));

const toName = ({ className, name }: { readonly className: string; readonly name: string }): string =>
  [...className.split(".").filter((part) => part !== ""), name].join(" > ");

/** `tests/test_a.py:12: AssertionError` ends what it says about a failure. */
const toPlace = (text: string): { readonly file: string; readonly line: number } | undefined => {
  const last = Array.from(text.matchAll(/^(\S[^\n:]*\.py):(\d+): /gm)).at(-1);
  return last?.[1] === undefined ? undefined : { file: last[1], line: Number(last[2]) };
};
