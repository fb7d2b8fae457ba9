// @module-tag long
/** The application under test: how a suite starts it, where it is, and that cases are blocked, and never failed, where it is not there. Steps are carried out by the offline rules. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import type { CaseResult, SuiteResult } from "@retinue/protocol/test-case";
import { afterAll, describe, expect, test } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import type { Ended, Project } from "../testing/spawn-retinue.ts";
import { createProject } from "../testing/spawn-retinue.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const createTests = async (files: Readonly<Record<string, string>>): Promise<Project> => {
  const project = await createProject();
  cleanups.push(project.remove);
  await writeFile(join(project.home, "retinue.yaml"), "allowUnsandboxed: true\n");
  for (const [name, text] of Object.entries(files)) {
    const file = join(project.workspace, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return project;
};

const run = async (
  project: Project,
  ...words: readonly string[]
): Promise<{ readonly cases: readonly CaseResult[]; readonly ended: Ended }> => {
  const ended = await callRetinue(project, ["test", "tests", "--json", "-m", "offline/rules", ...words]);
  expect(ended.stdout, ended.stderr).not.toBe("");
  return { cases: (JSON.parse(ended.stdout) as SuiteResult).cases, ended };
};

/** A port that nothing listens at. */
const findFreePort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

/** Serves one page; its title is the first argument, its port the second. A click of its button asks the server, or leads elsewhere. */
const APP = `
const { createServer } = require("node:http");
const [title, port] = process.argv.slice(2);
createServer((asked, answer) => {
  if (asked.url === "/die") process.exit(0);
  answer.setHeader("content-type", "text/html");
  answer.end("<title>" + title + "</title><h1>" + title + "</h1><a href=/die>Leave</a><button onclick=\\"fetch('/die').catch(() => 0)\\">Save</button>");
}).listen(Number(port), "127.0.0.1");
`;

const appOf = (title: string, port: number, more = ""): string =>
  `app: { command: node app.cjs ${title} ${port}, url: "http://127.0.0.1:${port}/"${more} }\nbaseUrl: http://127.0.0.1:${port}\n`;

const CASE = (title: string): string =>
  `title: It shows ${title}\nsteps:\n  - action: Navigate to \${baseUrl}/\n    expected: { check: visible, element: 'heading "${title}"', withinMs: 300 }\n`;

const SHELL = `title: Says hello\nsteps:\n  - action: Run "cat seed.txt"\n    expected: { check: command, run: cat seed.txt, output: seeded }\n`;

describe("an application that cannot be reached", { timeout: 120_000 }, () => {
  test("blocks its cases, whether their steps are checked or prose, and nothing of them fails", async () => {
    const project = await createTests({
      "tests/checked.yaml": CASE("Shop"),
      "tests/prose.yaml": `title: Prose\nsteps:\n  - action: Navigate to \${baseUrl}/\n    expected: It shows "Shop"\n`,
    });
    const address = `http://127.0.0.1:${await findFreePort()}`;
    const { cases, ended } = await run(project, "--var", `baseUrl=${address}`);
    expect(cases.map(({ verdict, steps }) => [verdict, ...steps.map((step) => step.verdict)])).toEqual([
      ["blocked", "blocked"],
      ["blocked", "blocked"],
    ]);
    expect(cases[0]?.reason).toContain(`${address}/ could not be opened: nothing answers there`);
    expect(ended.code).toBe(6);
  });

  test.each([
    ["a link leads to where nothing answers any more", 'Click the "Leave" link'],
    ["a page asks for what nobody answers any more", 'Click the "Save" button'],
  ])("blocks a case in the middle, where %s", async (_, action) => {
    const port = await findFreePort();
    const project = await createTests({
      "app.cjs": APP,
      "tests/suite.yaml": appOf("Shop", port),
      "tests/a.yaml": `${CASE("Shop")}  - action: ${action}\n    expected: { check: visible, element: 'heading "Saved"', withinMs: 200 }\n`,
    });
    const { cases } = await run(project, "--trust-app");
    expect(cases[0]).toMatchObject({ verdict: "blocked", steps: [{ verdict: "pass" }, { verdict: "blocked" }] });
  });

  test("blocks a passed case that is done again without a model", async () => {
    const port = await findFreePort();
    const project = await createTests({
      "app.cjs": APP,
      "tests/suite.yaml": appOf("Shop", port),
      "tests/a.yaml": CASE("Shop"),
    });
    expect((await run(project, "--trust-app")).cases[0]?.verdict).toBe("pass");
    await writeFile(join(project.workspace, "tests/suite.yaml"), `baseUrl: http://127.0.0.1:${port}\n`);
    expect((await run(project, "--rerun")).cases[0]).toMatchObject({ verdict: "blocked", steps: [{ verdict: "blocked" }] });
  });
});

describe("a suite's application", { timeout: 120_000 }, () => {
  test("is started once for its cases and ended with them", async () => {
    const port = await findFreePort();
    const project = await createTests({
      "app.cjs": `require("node:fs").appendFileSync("starts.txt", "x");\n${APP}`,
      "tests/suite.yaml": appOf("Shop", port),
      "tests/a.yaml": CASE("Shop"),
      "tests/b.yaml": CASE("Shop").replace("It shows", "Again it shows"),
    });
    const { cases } = await run(project, "--trust-app", "--workers", "2");
    expect(cases.map(({ verdict }) => verdict)).toEqual(["pass", "pass"]);
    expect(await readFile(join(project.workspace, "starts.txt"), "utf8")).toBe("x");
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  });

  test.each([
    ["whose command fails", "echo no such database >&2; exit 3", "", /it ended with 3\.\nno such database/],
    ["that does not answer in time", "sleep 30", ", timeoutMs: 300", /did not answer at .* in time/],
  ])("%s blocks its cases and says why", async (_, command, more, why) => {
    const url = `http://127.0.0.1:${await findFreePort()}/`;
    const project = await createTests({
      "tests/suite.yaml": `app: { command: "${command}", url: "${url}"${more} }\n`,
      "tests/a.yaml": SHELL,
    });
    const { cases, ended } = await run(project, "--trust-app");
    expect(cases[0]).toMatchObject({ verdict: "blocked", reason: expect.stringMatching(why), sessionId: null });
    expect(ended.code).toBe(6);
  });

  test("that nobody agreed to is not started, and its cases are blocked", async () => {
    const project = await createTests({
      "tests/suite.yaml": `app: { command: "touch started", url: "http://127.0.0.1:${await findFreePort()}/" }\n`,
      "tests/a.yaml": SHELL,
    });
    const { cases } = await run(project);
    expect(cases[0]).toMatchObject({ verdict: "blocked", reason: expect.stringContaining("--trust-app agrees to it") });
    await expect(readFile(join(project.workspace, "started"))).rejects.toThrow("ENOENT");
  });

  test(
    "that answers already is used where the suite says reuse, and blocks its cases where it does not",
    { tags: ["long"] },
    async () => {
      const running = createServer(
        (_asked, answer) => void answer.setHeader("content-type", "text/html").end("<h1>Running</h1>"),
      );
      await new Promise<void>((resolve) => void running.listen(0, "127.0.0.1", resolve));
      cleanups.push(async () => running.close());
      const { port } = running.address() as AddressInfo;
      const project = await createTests({
        "app.cjs": APP,
        "tests/suite.yaml": appOf("Started", port),
        "tests/a.yaml": CASE("Running"),
      });
      expect((await run(project, "--trust-app")).cases[0]).toMatchObject({
        verdict: "blocked",
        reason: expect.stringContaining("Something answers at"),
      });
      await writeFile(join(project.workspace, "tests/suite.yaml"), appOf("Started", port, ", reuse: true"));
      expect((await run(project, "--trust-app")).cases[0]?.verdict).toBe("pass");
      expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
    },
  );
});

describe("a suite", { timeout: 120_000 }, () => {
  test("has a base address for each environment, and a wrong environment is told before anything runs", async () => {
    const servers = await Promise.all(
      ["Local", "Staging"].map(async (title) => {
        const server = createServer(
          (_asked, answer) => void answer.setHeader("content-type", "text/html").end(`<h1>${title}</h1>`),
        );
        await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
        cleanups.push(async () => server.close());
        return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      }),
    );
    const project = await createTests({
      "tests/suite.yaml": `baseUrl: { local: "${servers[0]}", staging: "${servers[1]}" }\n`,
      "tests/a.yaml": CASE("Staging"),
    });
    expect((await run(project, "--env", "staging")).cases[0]?.verdict).toBe("pass");
    expect((await run(project, "--env", "local")).cases[0]?.verdict).toBe("fail");
    const ended = await callRetinue(project, ["test", "tests", "-m", "offline/rules", "--env", "prod"]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("prod");
  });

  test("resets before every case, and a reset that fails blocks the case", { tags: ["long"] }, async () => {
    const project = await createTests({
      "tests/suite.yaml": "reset:\n  - command: echo seeded > seed.txt; echo x >> resets.txt\n",
      "tests/a.yaml": SHELL,
      "tests/b.yaml": SHELL.replace("Says", "Again says"),
    });
    const { cases } = await run(project);
    expect(cases.map(({ verdict, steps }) => [verdict, steps[0]?.checks[0]?.result.status])).toEqual([
      [expect.any(String), "held"],
      [expect.any(String), "held"],
    ]);
    expect(await readFile(join(project.workspace, "resets.txt"), "utf8")).toBe("x\nx\n");
    await writeFile(join(project.workspace, "tests/suite.yaml"), "reset:\n  - command: exit 4\n");
    const blocked = await run(project, "--grep", "^Says");
    expect(blocked.cases[0]).toMatchObject({
      verdict: "blocked",
      reason: expect.stringContaining("The reset before the case failed"),
    });
  });

  test(
    "has an agent reset what only an agent can, and a reset of an agent that fails blocks the case",
    { tags: ["long"] },
    async () => {
      const page = createServer((_asked, answer) => void answer.setHeader("content-type", "text/html").end("<h1>Shop</h1>"));
      await new Promise<void>((resolve) => void page.listen(0, "127.0.0.1", resolve));
      cleanups.push(async () => page.close());
      const suite = (path: string, heading: string): string =>
        `baseUrl: http://127.0.0.1:${(page.address() as AddressInfo).port}\nreset:\n  - action: Navigate to \${baseUrl}${path}\n    expected: { check: visible, element: 'heading "${heading}"', withinMs: 200 }\n`;
      const project = await createTests({ "tests/suite.yaml": suite("/reset", "Shop"), "tests/a.yaml": CASE("Shop") });
      const passed = await run(project);
      expect(passed.cases[0]?.verdict, passed.cases[0]?.reason).toBe("pass");
      await writeFile(join(project.workspace, "tests/suite.yaml"), suite("/reset", "Seeded"));
      expect((await run(project)).cases[0]).toMatchObject({ verdict: "blocked" });
    },
  );
});
