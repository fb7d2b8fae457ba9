import { execFileSync } from "node:child_process";
import { chmod, readdir, symlink, writeFile } from "node:fs/promises";
import { realpathSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { probeSandbox } from "@retinue/confine";
import type { TestWorkspace } from "@retinue/confine/testing";
import { createTestWorkspace, toText } from "@retinue/confine/testing";
import { findRunner } from "./find-runner.ts";
import type { TestInput } from "./test.ts";
import { createTestTool } from "./test.ts";

const run = async (workspace: TestWorkspace, input: TestInput = {}): Promise<string> =>
  toText(await test.execute(input, workspace.context));

const CHECKOUT = path.join(fileURLToPath(import.meta.url), "../../../../..");
/** Where they really lie: a sandbox does not show what a link on the way leads through. */
const INSTALLED = path.dirname(realpathSync(path.join(CHECKOUT, "node_modules", "vitest")));

/** Wherever the checkout lies, a temporary folder included, its packages and its Node can be read. */
const test = createTestTool({ readable: [CHECKOUT, INSTALLED] });

/** A project that sees the packages of this checkout. */
const createProject = async (files: Record<string, string>): Promise<TestWorkspace> => {
  const workspace = await createTestWorkspace(files);
  await symlink(INSTALLED, workspace.at("node_modules"));
  return workspace;
};

const machine = await probeSandbox();

/** How a report begins: where there is no sandbox it says that the tests ran without one. */
const begins = (runner: string, more: string): RegExp =>
  new RegExp(`^\\[${runner}${machine.backend === "none" ? ", not sandboxed" : ""}: ${more}`);

const json = (value: unknown): string => JSON.stringify(value);

describe("test with vitest", () => {
  const files = {
    "package.json": json({ type: "module", scripts: { test: "vitest run --coverage" } }),
    "src/add.test.js": [
      `import { describe, expect, it } from "vitest";`,
      `describe("add", () => {`,
      `  it("adds", () => expect(1 + 1).toBe(2));`,
      `  it("adds wrongly", () => {`,
      `    expect(1 + 1).toBe(3);`,
      `  });`,
      `  it.skip("is left out", () => {});`,
      `});`,
    ].join("\n"),
    "src/other.test.js": `import { it } from "vitest";\nit("is fine (really)", () => {});\n`,
  };

  it("gives the counts and what failed, where and why", async () => {
    await using project = await createProject({ ...files, "src/broken.test.js": `import "./none.js";\n` });
    const said = await run(project);
    expect(said).toMatch(begins("vitest", "3 run, 2 passed, 1 failed, 1 skipped; exit code 1; \\d+\\.\\d s\\]\\n"));
    expect(said).toContain("FAILED src/add.test.js:5 add > adds wrongly\n  AssertionError: expected 2 to be 3");
    expect(said).toContain("1 failure outside of any test");
    expect(said).toMatch(/FAILED src\/broken\.test\.js \(the file itself\)\n.*none\.js/);
    expect(said).not.toContain("node_modules/");
  });

  it("runs the tests of a file, or those with a name", { tags: ["long"] }, async () => {
    await using project = await createProject(files);
    expect(await run(project, { path: "src/other.test.js" })).toMatch(
      begins("vitest", "1 run, 1 passed, 0 failed, 0 skipped; exit code 0;"),
    );
    expect(await run(project, { filter: "fine (really)" })).toMatch(
      begins("vitest", "1 run, 1 passed, 0 failed, \\d skipped; exit code 0;"),
    );
  });

  it("says that no test ran", { tags: ["long"] }, async () => {
    await using project = await createProject(files);
    const said = await run(project, { path: "package.json" });
    expect(said).toContain("No test was run");
  });

  it("says when it is not installed", async () => {
    await using project = await createTestWorkspace(files);
    await expect(run(project)).rejects.toMatchObject({ message: "The project is tested with vitest, which is not installed." });
  });
});

describe("test with node --test", () => {
  const files = {
    "package.json": json({ type: "module", scripts: { test: `node --no-warnings --test "src/**/*.test.js"` } }),
    "src/a.test.js": [
      `import assert from "node:assert";`,
      `import { describe, it } from "node:test";`,
      `describe("group <1>", () => {`,
      `  it("holds & stands", () => {});`,
      `  it("does not hold", () => {`,
      `    assert.equal(1, 2);`,
      `  });`,
      `  it("is left out", { skip: true }, () => {});`,
      `});`,
    ].join("\n"),
    "deep/b.test.js": `import { it } from "node:test";\nit("stands elsewhere", () => {});\n`,
  };

  it("gives the counts and what failed, where and why", async () => {
    await using project = await createTestWorkspace(files);
    const said = await run(project);
    expect(said).toMatch(begins("node --test", "2 run, 1 passed, 1 failed, 1 skipped; exit code 1;"));
    expect(said).toContain("FAILED src/a.test.js:6 group <1> > does not hold\n");
    expect(said).toContain("1 == 2");
  });

  it("runs the tests of a file or folder, or those with a name", { tags: ["long"] }, async () => {
    await using project = await createTestWorkspace(files);
    expect(await run(project, { path: "deep/b.test.js" })).toMatch(
      begins("node --test", "1 run, 1 passed, 0 failed, 0 skipped; exit code 0;"),
    );
    expect(await run(project, { path: "deep" })).toMatch(
      begins("node --test", "1 run, 1 passed, 0 failed, 0 skipped; exit code 0;"),
    );
    expect(await run(project, { filter: "holds & stands" })).toContain("1 passed, 0 failed");
  });
});

describe("test with pytest", () => {
  const files = {
    "pyproject.toml": "[tool.pytest.ini_options]\n",
    "tests/test_a.py": [
      "import pytest",
      "",
      "class TestSum:",
      "    def test_holds(self):",
      "        assert 1 + 1 == 2",
      "",
      "    def test_wrong(self):",
      "        assert 1 + 1 == 3",
      "",
      "@pytest.mark.skip",
      "def test_left_out():",
      "    pass",
      "",
    ].join("\n"),
  };

  const PYTHON = "import json, sys; print(json.dumps([sys.executable, sys.base_prefix]))";

  /** The Python that has pytest, as the project's own, and where it lives; undefined where there is none. */
  const findPytest = (): { readonly program: string; readonly prefix: string } | undefined => {
    try {
      execFileSync("python3", ["-m", "pytest", "--version"], { stdio: "ignore" });
      const [program, prefix] = JSON.parse(execFileSync("python3", ["-c", PYTHON], { encoding: "utf8" })) as [string, string];
      return { program, prefix };
    } catch {
      return undefined;
    }
  };

  it("gives the counts and what failed, or says that pytest is missing", async () => {
    const python = findPytest();
    await using project = await createTestWorkspace({
      ...files,
      ".venv/bin/python": `#!/bin/sh\nexec ${python?.program ?? "/usr/bin/env python3"} "$@"\n`,
    });
    await chmod(project.at(".venv/bin/python"), 0o755);
    if (!python) {
      await expect(run(project)).rejects.toMatchObject({ code: "tool_failed" });
      return;
    }
    const own = createTestTool({ readable: [python.prefix] });
    const said = toText(await own.execute({}, project.context));
    expect(said).toMatch(begins("pytest", "2 run, 1 passed, 1 failed, 1 skipped; exit code 1;"));
    expect(said).toContain("FAILED tests/test_a.py:8 tests > test_a > TestSum > test_wrong\n");
    expect(said).toContain("assert (1 + 1) == 3");
    const part = toText(await own.execute({ path: "tests/test_a.py", filter: "holds" }, project.context));
    expect(part).toMatch(begins("pytest", "1 run, 1 passed, 0 failed, 0 skipped;"));
  });

  it("says so when the project's Python has no pytest", async () => {
    await using project = await createTestWorkspace({ ...files, ".venv/bin/python": "" });
    await writeFile(project.at(".venv/bin/python"), '#!/bin/sh\necho "python: No module named pytest" >&2\nexit 1\n');
    await chmod(project.at(".venv/bin/python"), 0o755);
    await expect(run(project)).rejects.toMatchObject({ message: expect.stringContaining("which this Python does not have") });
  });
});

describe("test", () => {
  it("is honest about a script whose report it cannot read", async () => {
    await using project = await createTestWorkspace({ "package.json": json({ scripts: { test: "echo 3 passed && exit 4" } }) });
    const said = await run(project);
    expect(said).toMatch(begins("the project's test script", "how many tests ran and passed cannot be told, .*; exit code 4;"));
    expect(said).toContain("3 passed");
    await expect(run(project, { filter: "x" })).rejects.toMatchObject({ message: expect.stringContaining("how to run a part") });
  });

  it("runs a Makefile's target", async () => {
    await using project = await createTestWorkspace({ Makefile: "test: ; @echo made it\n" });
    expect(await run(project)).toContain("made it");
  });

  it("finds the nearest project of a path", { tags: ["long"] }, async () => {
    await using project = await createTestWorkspace({
      "package.json": json({ scripts: { test: "exit 1" } }),
      "inner/package.json": json({ type: "module", scripts: { test: "node --test" } }),
      "inner/src/x.test.js": `import { it } from "node:test";\nit("stands", () => {});\n`,
    });
    expect(await run(project, { path: "inner" })).toMatch(begins("node --test", "1 run, 1 passed"));
    expect(await run(project, { path: "inner/src/x.test.js" })).toMatch(begins("node --test", "1 run, 1 passed"));
  });

  it("says that there are no tests", async () => {
    await using project = await createTestWorkspace({
      "package.json": json({ scripts: { test: 'echo "Error: no test specified" && exit 1' } }),
      "broken/package.json": "{",
    });
    for (const input of [{}, { path: "broken" }])
      await expect(run(project, input)).rejects.toMatchObject({ message: "No tests were found that we know how to run." });
  });

  it("passes no keys on to the tests", async () => {
    await using project = await createTestWorkspace({
      "package.json": json({ type: "module", scripts: { test: "node --test" } }),
      "env.test.js": `import { it } from "node:test";\nit("shows", () => { throw new Error(typeof process.env.PATH + typeof process.env.CANARY_API_KEY); });\n`,
    });
    process.env["CANARY_API_KEY"] = "canary-value";
    try {
      expect(await run(project)).toContain("stringundefined");
    } finally {
      delete process.env["CANARY_API_KEY"];
    }
  });

  it("ends tests that take too long, or when the run is cancelled", async () => {
    const files = { "package.json": json({ scripts: { test: "sleep 600" } }) };
    await using project = await createTestWorkspace(files);
    expect(await test.execute({ timeoutMs: 1500 }, project.context)).toMatchObject({ error: { code: "tool_timeout" } });
    await using cancelled = await createTestWorkspace(files);
    const ended = test.execute({}, cancelled.context);
    cancelled.stop();
    await expect(ended).rejects.toMatchObject({ code: "cancelled" });
  });

  it("A17: a path outside is refused", async () => {
    await using project = await createTestWorkspace({ "package.json": json({ scripts: { test: "exit 0" } }) });
    await symlink("/", project.at("out"));
    for (const named of ["..", "out/tmp"])
      await expect(run(project, { path: named })).rejects.toMatchObject({ code: "path_outside_workspace" });
    await expect(run(project, { path: "none" })).rejects.toMatchObject({ message: "none does not exist." });
  });

  it("B9: a filter that begins with a dash is refused", () => {
    expect(test.input.safeParse({ filter: "--config=evil" }).success).toBe(false);
    expect(test.input.safeParse({ filter: "adds - or not" }).success).toBe(true);
  });

  it("hands in what it has measured: tests and changed files", async () => {
    await using project = await createTestWorkspace({
      "package.json": json({ type: "module", scripts: { test: "node --test" } }),
      "x.test.js": [
        `import { writeFileSync } from "node:fs";`,
        `import { it } from "node:test";`,
        `it("writes", () => writeFileSync("out.txt", "x"));`,
        `it("fails", () => { throw new Error("no"); });`,
      ].join("\n"),
    });
    expect(await test.execute({}, project.context)).toMatchObject({
      tests: { run: 2, passed: 1 },
      files: { created: ["out.txt"], modified: [] },
    });
  });

  it("is refused to an agent of limited rights where there is no sandbox", async () => {
    await using project = await createTestWorkspace({ "package.json": json({ scripts: { test: "touch ran" } }) });
    const own = createTestTool({ sandbox: { backend: "none", reason: "of the test", isInstalled: false } });
    const scope = { writes: [["src/**"]], hosts: [], approve: "all" } as const;
    await expect(own.execute({}, { ...project.context, scope })).rejects.toMatchObject({ code: "sandbox_unavailable" });
    expect(await readdir(project.workspace)).toEqual(["package.json"]);
  });
});

describe("test where nothing but files of tests says how", () => {
  it("runs unittest for a bare test_*.py that uses it, and counts", async () => {
    await using workspace = await createTestWorkspace({
      "sums.py": "def add(a, b):\n    return a + b\n",
      "test_sums.py":
        "import unittest\nfrom sums import add\n\nclass SumsTest(unittest.TestCase):\n    def test_right(self):\n        self.assertEqual(add(1, 2), 3)\n\n    def test_wrong(self):\n        self.assertEqual(add(1, 2), 4)\n",
    });
    const output = await test.execute({}, workspace.context);
    expect(output).toMatchObject({ tests: { run: 2, passed: 1 } });
    expect(toText(output)).toContain("test_wrong");
    expect(await test.execute({ path: "test_sums.py", filter: "right" }, workspace.context)).toMatchObject({
      tests: { run: 1, passed: 1 },
    });
  });

  it("says what was looked for, and what to do", async () => {
    await using workspace = await createTestWorkspace({ "a.txt": "a" });
    await expect(test.execute({}, workspace.context)).rejects.toMatchObject({
      code: "tool_failed",
      hint: expect.stringMatching(/test_\*\.py.*deno\.json.*justfile.*shell command/s),
    });
  });
});

describe("the command of a project without a known runner", () => {
  it.each([
    ["npm workspaces", { "package.json": json({ workspaces: ["packages/*"] }) }, "npm test --workspaces --if-present"],
    ["a Makefile", { Makefile: "test: build\n\techo\n" }, "make test"],
    ["a justfile", { justfile: "build:\n  echo\ntest filter='':\n  echo\n" }, "just test"],
    ["Deno", { "deno.json": "{}" }, "deno test"],
    ["Bun", { "bun.lock": "{}" }, "bun test"],
  ])("of %s is that of the project", async (_what, files, command) => {
    await using workspace = await createTestWorkspace(files);
    const { runner, project } = await findRunner(workspace.workspace, workspace.workspace);
    const { file, args } = await runner.toCommand({ project, path: undefined, filter: undefined, reportFile: "report" });
    expect([file, ...args].join(" ")).toBe(command);
  });
});
