/** The offline model in a small repository, through the real loop, agents and tools. */
import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ProposedAct } from "@retinue/protocol";
import { probeSandbox } from "@retinue/confine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Project } from "./cli/testing/spawn-retinue.ts";
import { createProject } from "./cli/testing/spawn-retinue.ts";
import type { Retinue } from "./create-retinue.ts";
import { createRetinue } from "./create-retinue.ts";
import { DEFAULT_SETTINGS } from "./settings/settings.ts";

const isConfined = (await probeSandbox()).backend !== "none";

const FILES: Readonly<Record<string, string>> = {
  "README.md":
    "# Shop\n\n![badge](x.svg)\n\nShop is a small program that sells things.\n\n## Install\n\n```sh\nnpm install shop\n```\n",
  "package.json": `${JSON.stringify(
    {
      name: "shop",
      description: "A small shop",
      license: "MIT",
      engines: { node: ">=22" },
      bin: { shop: "src/main.js" },
      scripts: { test: "node --test", build: "tsc -p .", start: "node src/main.js" },
      dependencies: { zod: "4.0.0" },
      devDependencies: { typescript: "5.9.0" },
    },
    undefined,
    2,
  )}\n`,
  LICENSE: "MIT License\n\nCopyright (c) A. Author\n",
  "src/main.js":
    'import { parsePrice } from "./price.js";\n\nexport function main() {\n  // TODO: read a file\n  if (!process.env.SHOP_PRICE) throw new Error("The price is missing.");\n  return parsePrice(process.env.SHOP_PRICE);\n}\n',
  "src/price.js": "/** Prices in cents. */\nexport function parsePrice(text) {\n  return Math.round(Number(text) * 100);\n}\n",
  "test/price.test.js": 'import { parsePrice } from "../src/price.js";\n\nparsePrice("1");\n',
  ".github/workflows/ci.yml": "name: Checks\non: push\njobs:\n  test:\n    steps:\n      - run: npm test\n",
};

const PYTHON: Readonly<Record<string, string>> = {
  "pyproject.toml":
    '[project]\nname = "till"\ndependencies = [\n  "requests>=2",\n]\nrequires-python = ">=3.10"\n\n[project.scripts]\ntill = "till.cli:main"\n\n[tool.pytest.ini_options]\n\n' +
    `[dependency-groups]\n${["docs", "lint", "tests", "types", "release", "bench"].map((group) => `${group} = ["${group}-tool"]\n`).join("")}`,
  "till/cli.py": "def main():\n    pass\n",
  "till/roll.py":
    'class RollPrinter:\n    pass\n\n\nclass Roll:\n    """Paper.\n\n    function returns `None` nothing is shown\n    """\n\n    def cut(self):\n        raise HTTPError("no paper")\n',
  "tests/test_cli.py": "def test_main():\n    pass\n",
};

const make = async (files: Readonly<Record<string, string>>): Promise<Project> => {
  const project = await createProject();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(project.workspace, name)), { recursive: true });
    await writeFile(path.join(project.workspace, name), text);
  }
  const git = (...args: readonly string[]): Buffer =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], { cwd: project.workspace });
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-q", "-m", "Open the shop");
  git("tag", "v1.0.0");
  await writeFile(path.join(project.workspace, "NEWS.md"), "Prices are in cents.\n");
  git("add", ".");
  git("commit", "-q", "-m", "Tell the news");
  return project;
};

type Answer = { readonly text: string; readonly agents: readonly string[]; readonly tools: readonly string[] };

type Asking = { readonly approve?: "ask" | "workspace" | "all"; readonly onAct?: (act: ProposedAct) => boolean };

const open = ({ workspace, home }: Project, { approve = "workspace", onAct }: Asking): Promise<Retinue> =>
  createRetinue({
    workspace,
    env: { ...process.env, RETINUE_HOME: home, HOME: home },
    settings: { ...DEFAULT_SETTINGS, approve },
    model: "offline/rules",
    ...(onAct ? { approver: async ({ act }: { readonly act: ProposedAct }) => ({ allowed: onAct(act) }) } : {}),
  });

/** Where nobody is asked anything, one serves all questions in a folder. */
const shared = new Map<Project, Promise<Retinue>>();

const askIn = async (project: Project, question: string, asking?: Asking): Promise<Answer> => {
  if (asking === undefined && !shared.has(project)) shared.set(project, open(project, {}));
  const retinue = await ((asking === undefined ? shared.get(project) : undefined) ?? open(project, asking ?? {}));
  try {
    const run = await retinue.run(question);
    const { details } = await run.result;
    const events = await retinue.events(run.sessionId);
    const requested = events.filter(({ type }) => type === "run.requested").map(({ agent }) => agent);
    return {
      text: details,
      agents: requested,
      tools: events.flatMap((event) => (event.type === "tool.started" ? [event.tool] : [])),
    };
  } finally {
    if (asking !== undefined) await retinue.close();
  }
};

const projects: Project[] = [];
let shop: Project;
let till: Project;

beforeAll(async () => {
  [shop, till] = [await make(FILES), await make(PYTHON)];
  projects.push(shop, till);
});

afterAll(async () => {
  for (const retinue of shared.values()) await (await retinue).close();
  for (const project of projects) await project.remove();
});

/** Question, the agent that is asked, and what the answer holds. */
const QUESTIONS: readonly (readonly [string, string, ...string[]])[] = [
  [
    "what is in this repository?",
    "researcher",
    "shop: A small shop (package.json:3)",
    "README.md:5 says: Shop is a small program",
    "- src/ (2 files)",
  ],
  ["tell me about this project", "researcher", "shop: A small shop"],
  ["how do I run the tests?", "code-search", "`npm test` (package.json:12: node --test)", ".github/workflows/ci.yml:6: npm test"],
  ["how can i biuld this thing", "code-search", "`npm run build` (package.json:13: tsc -p .)"],
  ["how do I start it?", "code-search", "`npm start` (package.json:14: node src/main.js)"],
  ["how do I install this?", "code-search", "README.md:10: npm install shop"],
  ["which scripts are there?", "code-search", "- `npm test` (package.json:12): node --test"],
  ["what dependencies does it have?", "code-search", "- zod 4.0.0 (package.json:17)", "- typescript 5.9.0 (package.json:20)"],
  ["does it depend on zod?", "code-search", "Yes, it depends on zod"],
  ["any TODOs?", "code-search", "- src/main.js:4: // TODO: read a file"],
  [
    "where is parsePrice defined and who uses it?",
    "code-search",
    "- src/price.js:2: export function parsePrice(text) {",
    "- src/main.js:6: return parsePrice(",
  ],
  ["outline of src/main.js", "code-search", "- 3: export function main()"],
  ["what does price.js do?", "code-search", "It says of itself: Prices in cents."],
  [
    'I get the error "The price is missing.", why?',
    "code-search",
    "- src/main.js:5: if (!process.env.SHOP_PRICE) throw",
    "It is in `main` (src/main.js:3)",
  ],
  ["where is the entry point?", "code-search", "- command shop: src/main.js (package.json:8)"],
  ["where should I start reading", "code-search", "- command shop: src/main.js"],
  ["which environment variables does it read?", "code-search", "- SHOP_PRICE (src/main.js:5"],
  ["what licence is it under?", "code-search", "- MIT (package.json:4)", "- LICENSE: MIT License"],
  ["can I use this commercially?", "code-search", "MIT License"],
  ["where are the tests?", "researcher", "test/"],
  ["wo sind die Tests?", "researcher", "test/"],
  ["is there a CI?", "code-search", "- .github/workflows/ci.yml: Checks"],
  ["what are the biggest files?", "researcher", "package.json"],
  // In the words of somebody who has not seen the rules.
  ["I just cloned this, how do I get it set up and built on my laptop?", "code-search", "npm run build"],
  ["which command do the maintainers use to run the test suite?", "code-search", "`npm test` (package.json:12: node --test)"],
  ["did anybody leave TODOs or FIXMEs lying around in the code?", "code-search", "- src/main.js:4: // TODO: read a file"],
  ["if I touch src/price.js, which other files are affected?", "code-search", "- src/main.js", "- test/price.test.js"],
  ["can I use this in a closed source product, i.e. what's the license?", "code-search", "- MIT (package.json:4)"],
  ["sketch the structure of src/main.js for me", "code-search", "- 3: export function main()"],
  ["I'd like to contribute, which files should I read first?", "code-search", "- command shop: src/main.js"],
  [
    "I'm getting this, what's wrong? Error: The price is missing.",
    "code-search",
    "- src/main.js:5: if (!process.env.SHOP_PRICE)",
  ],
];

describe("in a repository of JavaScript", () => {
  test.each(QUESTIONS)("%s is answered by %s with paths and lines", async (question, agent, ...parts) => {
    const { text, agents } = await askIn(shop, question);
    expect(agents).toEqual(["main", agent]);
    for (const part of parts) expect(text).toContain(part);
    expect(text).not.toMatch(/Nothing was found|reposi\b/);
  });

  test.each([
    ["hi", "Hello."],
    ["hey there :)", "Hello."],
    ["guten Tag!", "Hello."],
    ["thanks", "You are welcome."],
    ["who are you?", "the offline model of Retinue"],
    ["help", "I know questions such as"],
  ])("%s gets a short answer", async (question, part) => {
    const { text, agents } = await askIn(shop, question);
    expect(agents).toEqual(["main"]);
    expect(text).toContain(part);
    expect(text.split("\n").length).toBeLessThan(24);
  });

  test("what rules cannot do is told with how to connect a model and three examples, each of which works here", async () => {
    const { text } = await askIn(shop, "find and fix the worst bug");
    for (const part of ["takes a real model", "ANTHROPIC_API_KEY", "Ollama", "retinue.yaml"]) expect(text).toContain(part);
    expect(text.split("\n").length).toBeLessThan(24);
    const examples = [...text.split("try in this folder:")[1]!.matchAll(/^- "(.+)"$/gm)].map(([, example = ""]) => example);
    expect(examples).toHaveLength(3);
    for (const example of examples) expect((await askIn(shop, example)).text).toMatch(/\w+\.\w+:\d+|- \d+: /);
  });
});

test("a repository of Python is understood, too", async () => {
  expect((await askIn(till, "how do I run the tests?")).text).toContain("`pytest` (pyproject.toml");
  expect((await askIn(till, "what libraries does this use")).text).toContain("- requests >=2 (pyproject.toml:4)");
  expect((await askIn(till, "where is the main function?")).text).toContain("till/cli.py:1: def main():");
});

test.each([
  ["where is the Roll class?", "Roll is defined in:\n- till/roll.py:5: class Roll:"],
  ["are there any tests for cli.py?", "- tests/test_cli.py"],
  ["which python versions are supported?", "It needs Python >=3.10 (pyproject.toml:6)."],
  ["why does HTTPError get thrown?", "till/roll.py:12: raise HTTPError("],
  ["what dependencies does it have?", "- bench-tool (pyproject.toml:19)"],
])("%s: the answer names the place that a reader would find", async (question, part) => {
  expect((await askIn(till, question)).text).toContain(part);
});

test.each(["show me the readme", "read the README", "what does the readme say?"])("%s: it is shown", async (question) => {
  expect((await askIn(shop, question)).text).toContain("Shop is a small program that sells things.");
});

test("an outline leaves out sentences that begin like a definition", async () => {
  const { text } = await askIn(till, "outline of till/roll.py");
  expect(text).toContain("- 11: def cut(self)");
  expect(text).not.toContain("nothing is shown");
});

describe("questions to git", () => {
  /** Without a sandbox git asks first; here somebody says yes. */
  const asking: Asking | undefined = isConfined ? undefined : { approve: "ask", onAct: () => true };

  test.each([
    ["last commit", "Tell the news", "NEWS.md"],
    ["what has been done recently?", "Open the shop", "Ada"],
    ["who wrote src/price.js?", "Ada: 1 commit"],
    ["what changed since v1.0.0?", "1 commit since v1.0.0, in 1 file", "NEWS.md (+1 -0)"],
    ["what's new since the last release?", "1 commit since v1.0.0"],
    ["what changed since yesterday?", "2 commits since yesterday"],
    ["which branch am I on?", "main"],
  ])("%s is answered", async (question, ...parts) => {
    const { text, tools } = await askIn(shop, question, asking);
    expect(tools).toContain("git");
    for (const part of parts) expect(text).toContain(part);
  });

  test("a no to git is told plainly, with what to do and what can be read without it", async () => {
    const { text } = isConfined
      ? await askIn(await makePlainFolder(), "last commit")
      : await askIn(shop, "last commit", { approve: "ask", onAct: () => false });
    expect(text).toMatch(isConfined ? /not a git repository/ : /Git was not run[\s\S]*bubblewrap/);
    expect(text).toMatch(/NEWS\.md/);
  });
});

const makePlainFolder = async (): Promise<Project> => {
  const project = await createProject();
  projects.push(project);
  await writeFile(path.join(project.workspace, "NEWS.md"), "Prices are in cents.\n");
  return project;
};

describe("an edit", () => {
  const read = (name: string): Promise<string> => readFile(path.join(till.workspace, name), "utf8");

  test("is made by the executor after a yes, and shows its diff", async () => {
    const acts: ProposedAct[] = [];
    const { text, agents } = await askIn(till, "rename main to start in till/cli.py", {
      approve: "ask",
      onAct: (act) => acts.push(act) > 0,
    });
    expect(agents).toEqual(["main", "executor"]);
    expect(acts).toMatchObject([
      { tool: "edit", input: { path: "till/cli.py", edits: [{ old: "main", new: "start", all: true }] } },
    ]);
    expect(await read("till/cli.py")).toBe("def start():\n    pass\n");
    expect(text).toContain("+def start():");
  });

  test("is not made after a no, which is told", async () => {
    const { text } = await askIn(till, 'add the line "# end" to till/cli.py', { approve: "ask", onAct: () => false });
    expect(text).toContain("till/cli.py was not changed");
    expect(await read("till/cli.py")).not.toContain("# end");
  });

  test("adds a line at the end, replaces a text and creates a file, and leaves what is there already", async () => {
    const yes: Asking = { approve: "ask", onAct: () => true };
    await askIn(till, 'add the line "# end" to till/cli.py', yes);
    expect(await read("till/cli.py")).toMatch(/ {4}pass\n# end\n$/);
    await askIn(till, 'replace "pass" with "return" in till/cli.py', yes);
    expect(await read("till/cli.py")).toMatch(/ {4}return\n# end\n$/);
    await askIn(till, 'create notes.md with "# Notes"', yes);
    expect(await read("notes.md")).toBe("# Notes\n");
    const { text } = await askIn(till, 'create notes.md with "other"', yes);
    expect(text).toContain("was not changed");
    expect(await read("notes.md")).toBe("# Notes\n");
  });

  test("run the tests asks first, and says so after a no", async () => {
    const acts: ProposedAct[] = [];
    const { text, agents } = await askIn(shop, "run the tests", { approve: "ask", onAct: (act) => acts.push(act) < 0 });
    expect(agents).toEqual(["main", "tester"]);
    expect(acts.map(({ tool }) => tool)).toEqual(["test"]);
    expect(text).toContain("The tests were not run");
  });
});
