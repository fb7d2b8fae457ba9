/** pytest, by its JUnit report. */
import { access } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import { readJunitReport } from "../junit-report.ts";
import type { Project } from "../project.ts";
import type { TestRunner } from "../test-runner.ts";

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

const isPython = ({ names }: Project): boolean =>
  ["pyproject.toml", "setup.py", "requirements.txt"].some((name) => names.has(name)) &&
  [...names].some((name) => name === "tests" || name === "test" || /^(test_.*|.*_test)\.py$/.test(name));

/** The project's own Python before that of PATH. */
const findPython = async (folder: string): Promise<string> => {
  for (const own of [".venv/bin/python", "venv/bin/python", ".venv/Scripts/python.exe", "venv/Scripts/python.exe"]) {
    const file = path.join(folder, own);
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return process.platform === "win32" ? "python" : "python3";
};

const toName = ({ className, name }: { readonly className: string; readonly name: string }): string =>
  [...className.split(".").filter((part) => part !== ""), name].join(" > ");

/** `tests/test_a.py:12: AssertionError` ends what it says about a failure. */
const toPlace = (text: string): { readonly file: string; readonly line: number } | undefined => {
  const last = Array.from(text.matchAll(/^(\S[^\n:]*\.py):(\d+): /gm)).at(-1);
  return last?.[1] === undefined ? undefined : { file: last[1], line: Number(last[2]) };
};
