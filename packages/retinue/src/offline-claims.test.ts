/** The offline model claims only what it has seen: counts agree with what is listed, and limits are named. */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Project } from "./cli/testing/spawn-retinue.ts";
import { createProject } from "./cli/testing/spawn-retinue.ts";
import { createRetinue } from "./create-retinue.ts";
import { DEFAULT_SETTINGS } from "./settings/settings.ts";

const projects: Project[] = [];

afterAll(async () => {
  for (const project of projects) await project.remove();
});

const askAmong = async (files: Readonly<Record<string, string>>, question: string): Promise<string> => {
  const project = await createProject();
  projects.push(project);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(project.workspace, name)), { recursive: true });
    await writeFile(path.join(project.workspace, name), text);
  }
  const retinue = await createRetinue({
    workspace: project.workspace,
    env: { ...process.env, RETINUE_HOME: project.home, HOME: project.home },
    settings: { ...DEFAULT_SETTINGS, approve: "workspace" },
    model: "offline/rules",
  });
  try {
    return (await (await retinue.run(question)).result).details;
  } finally {
    await retinue.close();
  }
};

describe("what dependencies does it have?", () => {
  const ask = (files: Readonly<Record<string, string>>): Promise<string> => askAmong(files, "what dependencies does it have?");

  test("a library with development groups alone needs nothing at run time, and names in two groups count once", async () => {
    const text = await ask({
      "pyproject.toml":
        '[project]\nname = "till"\n\n[dependency-groups]\ntests = [\n  # "nose",\n  "pytest",\n]\ntyping = [\n  {include-group = "tests"},\n  "mypy",\n  "pytest",\n]\n',
    });
    expect(text).toContain("It needs nothing at run time");
    expect(text).toContain("2 dependencies serve other purposes, in 2 groups (tests, typing)");
    for (const row of [
      "Group tests (1):",
      "- pytest (pyproject.toml:7)",
      "- mypy (pyproject.toml:11)",
      "- pytest (pyproject.toml:12)",
    ])
      expect(text).toContain(row);
    expect(text).not.toMatch(/nose|- tests/);
  });

  test("what is needed at run time comes first", async () => {
    const text = await ask({
      "package.json": '{\n  "devDependencies": {\n    "vite": "7"\n  },\n  "dependencies": {\n    "zod": "4"\n  }\n}\n',
    });
    expect(text).toContain("It needs 1 dependency at run time; 1 more serves other purposes, in 1 group (to develop)");
    expect(text.indexOf("zod 4 (package.json:6)")).toBeLessThan(text.indexOf("vite 7 (package.json:3)"));
  });

  test("a list that the build makes is unknown, not empty", async () => {
    const text = await ask({
      "pyproject.toml":
        '[project]\nname = "till"\ndynamic = ["version", "dependencies"]\n\n[project.optional-dependencies]\nfast = ["uvloop"]\n',
    });
    expect(text).toContain("The build decides what it needs at run time (pyproject.toml:3)");
    expect(text).not.toContain("nothing at run time");
    expect(text).toContain("1 dependency serves other purposes, in 1 group (optional: fast)");
  });

  test("setup.py and setup.cfg name the lines of the entries, without their markers", async () => {
    const python = await ask({
      "setup.py": "setup(\n    install_requires=[\n        \"click[x]>=8; python_version<'3'\",\n        'rich',\n    ],\n)\n",
    });
    expect(python).toContain("It needs 2 dependencies at run time");
    expect(python).toContain("(setup.py:3)");
    expect(python).toContain("- rich (setup.py:4)");
    expect(await ask({ "setup.cfg": "[options]\ninstall_requires =\n    click>=8\n    rich\n" })).toContain(
      "- rich (setup.cfg:4)",
    );
  });
});

describe("where does an error come from?", () => {
  test("a text in a class of errors leads to the lines that raise the class, without a guess at the condition", async () => {
    const text = await askAmong(
      {
        "till/errors.py":
          'class TillError(Exception):\n    """Base."""\n\n\nclass NoSuchCoin(TillError):\n    """Raised for a coin."""\n\n    def helper(self):\n        pass\n\n    def __init__(\n        self,\n        coin,\n        message=None,\n    ) -> None:\n        if message is None:\n            message = f"No such coin: {coin}"\n\n        super().__init__(message)\n',
        "till/count.py":
          "from . import errors\n\n\ndef count(coin):\n    if coin not in COINS:\n        raise errors.NoSuchCoin(coin)\n",
        "tests/test_count.py": 'def test_count():\n    raise NoSuchCoin("x")\n',
      },
      'I get the error "No such coin", where does it come from?',
    );
    expect(text).toContain("It is in `__init__` (till/errors.py:11) of `NoSuchCoin` (till/errors.py:5)");
    expect(text).toContain("`NoSuchCoin` is raised in:\n- till/count.py:6: raise errors.NoSuchCoin(coin)");
    expect(text).not.toMatch(/condition above|test_count/);
  });

  test("a class of errors that no source raises by its name is told as such", async () => {
    const text = await askAmong(
      {
        "src/errors.ts":
          'export class NoCoinError extends Error {\n  constructor() {\n    super("The coin is missing.");\n  }\n}\n\nexport const kinds = [NoCoinError];\n',
      },
      'I get the error "The coin is missing.", where does it come from?',
    );
    expect(text).toContain("It is in `constructor` (src/errors.ts:2) of `NoCoinError` (src/errors.ts:1)");
    expect(text).toContain("No source here raises `NoCoinError` by its name.");
  });

  test("a function that was closed before the text is not where the text stands", async () => {
    const text = await askAmong(
      { "till/open.py": 'def close():\n    pass\n\n\nMESSAGE = "The till is open."\n' },
      'I get the error "The till is open.", where does it come from?',
    );
    expect(text).toContain("till/open.py:5");
    expect(text).not.toContain("It is in `close`");
  });
});

describe("a search", () => {
  test("counts the files that it lists, those with a fitting name alone included", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`src/part${at}.py`, `drawer = ${at}\n`]).concat(
        Array.from({ length: 5 }, (_, at) => [`assets/drawer${at}.py`, "pass\n"]),
      ),
    ) as Readonly<Record<string, string>>;
    const text = await askAmong(files, "how does the drawer work?");
    const [, lines, holding, named] =
      /(\d+) matching lines in (\d+) files, and (\d+) more files? by (?:their names|its name)/.exec(text) ?? [];
    expect([lines, holding, named]).toEqual(["20", "20", "5"]);
    const places = text.match(/^- \S+\.py/gm) ?? [];
    const [, also = "", left] = /^Also in: (.*?) and (\d+) more files\.$/m.exec(text) ?? [];
    expect(places.length + also.split(", ").length + Number(left)).toBe(25);
  });
});

describe("which environment variables does it read?", () => {
  const ask = (files: Readonly<Record<string, string>>): Promise<string> =>
    askAmong(files, "which environment variables does it read?");

  test("calls of libraries and sections of documents that tell of more are named", async () => {
    const text = await ask({
      "src/main.rs":
        'fn main() {\n    let plain = std::env::var_os("NO_COLOR");\n    let colours = LsColors::from_env();\n    let home = env::home_dir();\n}\n\nfn from_env() {}\n',
      "doc/till.1": ".TH TILL 1\n.SH ENVIRONMENT\n.TP\n.B LS_COLORS\n",
      "README.md":
        "# Till\n\n## Development environment\n\n## Environment variables\n\n- LS_COLORS\n\n```sh\n# Set the env var first.\n```\n",
    });
    expect(text).toContain("Its own code names 1 environment variable where it reads it:\n- NO_COLOR (src/main.rs:2)");
    expect(text).toContain("Libraries may read others. These calls usually do:\n- src/main.rs:3: let colours");
    expect(text).toContain("- src/main.rs:4: let home");
    expect(text).toContain("- README.md:5: ## Environment variables");
    expect(text).toContain("- doc/till.1:2: .SH ENVIRONMENT");
    expect(text).not.toMatch(/src\/main\.rs:7|Development environment|Set the env/);
  });

  test("code that names none does not speak for its libraries", async () => {
    const text = await ask({ "src/main.js": "export const main = () => 1;\n" });
    expect(text).toContain("Its own code names no environment variable");
    expect(text).toContain("Libraries may read some.");
  });
});

describe("where are the tests?", () => {
  const ask = (files: Readonly<Record<string, string>>): Promise<string> => askAmong(files, "where are the tests?");
  const sources = {
    "Cargo.toml": '[package]\nname = "till"\n',
    "src/lib.rs":
      "mod coin;\n\n#[cfg(not(test))]\nmod real {}\n\n#[cfg(test)]\nuse std::fs;\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn counts() {}\n}\n",
    "src/coin.rs": "#[cfg(test)]\n#[allow(dead_code)]\nmod coin_tests {\n    #[test]\n    fn rolls() {}\n}\n",
  };

  test("test modules inside of sources are counted and named", async () => {
    const text = await ask(sources);
    expect(text).toContain("2 test modules are inside of sources (`#[cfg(test)]`):");
    expect(text).toContain("- src/coin.rs:3: mod coin_tests");
    expect(text).toContain("- src/lib.rs:10: mod tests");
    expect(text).not.toMatch(/No tests were found|mod real/);
  });

  test("helpers without a test case are not counted as tests", async () => {
    const text = await ask({
      ...sources,
      "tests/all.rs": "mod helpers;\n\n#[test]\nfn works() {}\n",
      "tests/helpers/mod.rs": "pub fn help() {}\n",
    });
    expect(text).toContain("1 file holds test cases, in:\n- tests/ (1 file)");
    expect(text).toContain("1 more file in folders of tests holds none in a usual form");
    expect(text).toContain("2 test modules are inside of sources");
  });
});

test("an outline lists what a module declares below that module, and not below the function before it", async () => {
  const text = await askAmong(
    { "src/late.ts": "export function wait(): void {\n}\n\ndeclare module 'http' {\n\tinterface Request {\n\t}\n}\n" },
    "give me an outline of src/late.ts",
  );
  expect(text).toMatch(/1: export function wait\(\): void\n.*4: declare module 'http'\n.*5: interface Request/);
});
