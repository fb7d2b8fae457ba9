/** Test cases that work on a screen: a real terminal on an Xvfb of the case's own, by the real command. Where the machine has no such programs, the case is blocked. */
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { CaseResult, SuiteResult } from "@retinue/protocol/test-case";
import { afterAll, describe, expect, test } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import type { MockProject } from "../testing/mock-project.ts";
import { call } from "../testing/mock-project.ts";
import { ownTask, playTesters, put } from "../testing/play-testers.ts";
import { readSessions } from "../testing/read-sessions.ts";

const EXAMPLE = new URL("../../../../../examples/desktop-cases/notes.yaml", import.meta.url);

const testers = playTesters();
afterAll(testers.remove);

const isInstalled = ["Xvfb", "xdotool", "import", "xterm"].every((name) =>
  (process.env["PATH"] ?? "").split(path.delimiter).some((folder) => existsSync(path.join(folder, name))),
);

const CASE = `title: A terminal takes notes
desktop:
  screen: xvfb
  size: { width: 640, height: 480 }
  programs:
    - xterm -geometry 80x30+0+0 -e sh -c 'while read line; do echo "$line" >> notes.txt; done'
secrets: [TERMINAL_PASSWORD]
steps:
  - action: Look at the screen
    expected: It shows "a terminal"
  - action: Type "hello screen" into the terminal and press Enter
    expected: { check: command, run: sleep 1; cat notes.txt, output: hello screen }
  - action: Type the password, press Enter and scroll up
    expected: { check: command, run: sleep 1; tail -n 1 notes.txt | wc -c, output: "14" }
`;

const ACTS = [
  [call("screenshot", { question: "What is shown?" })],
  [
    call("click", { x: 300, y: 200 }),
    call("type", { text: "hello screen" }),
    call("key", { key: "Enter" }),
    call("screenshot", {}),
  ],
  [
    call("type", { text: "{{secret:TERMINAL_PASSWORD}}" }),
    call("key", { key: "Enter" }),
    call("scroll", { direction: "up", steps: 1 }),
  ],
];

const WORDS = ["Look", String.raw`Type \"hello`, "Type the password"];

const createCase = async (text = CASE): Promise<MockProject> => {
  const made = await testers.create({
    act: (task, count) => ACTS[WORDS.findIndex((words) => ownTask(task).startsWith(words))]?.[count],
    see: () => "a terminal with an empty line",
    settings: "visionModel: local/eyes\n",
  });
  await put(made, "terminal.yaml", text);
  await put(made, ".env", "TERMINAL_PASSWORD=correct-horse\n");
  return made;
};

const run = async (
  { project }: MockProject,
  words: readonly string[] = ["--trust-app"],
  env: Readonly<Record<string, string>> = {},
) => {
  const ended = await callRetinue(project, ["test", "terminal.yaml", "--json", ...words], env);
  expect(ended.stdout, ended.stderr).toContain('"cases"');
  const [result] = (JSON.parse(ended.stdout) as SuiteResult).cases;
  return { code: ended.code, result: result as CaseResult, all: ended.stdout + ended.stderr };
};

describe("a case with a screen of its own", { timeout: 180_000 }, () => {
  test("is clicked, typed into and scrolled, and its screenshots are kept; or is blocked", { tags: ["long"] }, async () => {
    const made = await createCase();
    const html = path.join(made.project.workspace, "report.html");
    const { code, result, all } = await run(made, ["--trust-app", "--html", html]);
    if (!isInstalled) {
      expect(code).toBe(6);
      expect(result.reason).toMatch(/which this machine has not\. Install/);
      return;
    }
    expect(`${result.verdict} ${result.reason}`, all).toBe("pass All 3 steps passed.");
    expect(code).toBe(0);
    expect(await readFile(path.join(made.project.workspace, "notes.txt"), "utf8")).toBe("hello screen\ncorrect-horse\n");
    expect(result.steps.map(({ screenshots }) => screenshots.length)).toEqual([1, 1, 0]);
    expect(result.steps[0]?.evidence[0]).toMatchObject({ tool: "screenshot", quote: expect.stringContaining("a terminal") });
    const page = await readFile(html, "utf8");
    expect(page.match(/<img alt="Screenshot of step \d" src="data:image\/png;base64,/g)).toHaveLength(2);
    const [events = []] = await readSessions(made.project);
    expect(
      events.flatMap((event) => (event.type === "tool.settled" && event.depth > 0 ? [`${event.tool} ${event.outcome}`] : [])),
    ).toEqual(expect.arrayContaining(["click ok", "type ok", "key ok", "scroll ok", "screenshot ok"]));
    // A secret is typed, and is in nothing that was told, recorded or sent.
    for (const text of [all, page, JSON.stringify(events), ...made.server.requests.map(({ text: sent }) => sent)])
      expect(text.includes("correct-horse")).toBe(false);
  });

  test("runs by the offline rules, without a key: the example types, clicks and keeps pictures; what a picture would have to show is not judged", async () => {
    const example = await readFile(EXAMPLE, "utf8");
    const made = await createCase(example);
    const { code, result, all } = await run(made, ["--trust-app", "-m", "offline/rules"]);
    if (!isInstalled) {
      expect(code).toBe(6);
      expect(result.reason).toMatch(/which this machine has not\. Install/);
      return;
    }
    expect(`${result.verdict} ${result.reason}`, all).toBe("pass All 2 steps passed.");
    expect(result.steps.map(({ screenshots }) => screenshots.length)).toEqual([1, 1]);
    await put(made, "terminal.yaml", example.replace("output: call Ada", "output: call Bob"));
    const wrong = await run(made, ["--trust-app", "-m", "offline/rules"]);
    expect(`${wrong.code} ${wrong.result.reason}`).toMatch(/^1 Step 2: Expected that .*call Bob.*; seen: .*call Ada/s);
    await put(made, "terminal.yaml", example.replace(/expected: .*/, "expected: The screen shows a terminal"));
    const prose = await run(made, ["--trust-app", "-m", "offline/rules"]);
    expect(prose.result.steps[0]?.said).toBe("fail");
    expect(prose.result.reason).toContain("takes a model that reads pictures to judge");
    expect(made.server.requests).toHaveLength(0);
  });

  test("is blocked where Xvfb is missing, with what to install, and no model is asked", async () => {
    const made = await createCase();
    const empty = path.join(made.project.workspace, "no-programs");
    await mkdir(empty);
    const { code, result } = await run(made, ["--trust-app"], { PATH: empty });
    expect(code).toBe(6);
    expect(result).toMatchObject({
      verdict: "blocked",
      reason:
        "There is no screen to work on: a screen of its own is made by Xvfb, which this machine has not. Install it: apt install xvfb.",
    });
    expect(made.server.requests).toHaveLength(0);
  });

  test("is blocked where its program is missing, or nobody has agreed to start it", async () => {
    const unknown = await run(await createCase(CASE.replace("xterm ", "no-such-terminal ")));
    expect(unknown.result.verdict).toBe("blocked");
    expect(unknown.result.reason).toMatch(
      isInstalled ? /^no-such-terminal is to be started on the screen/ : /which this machine has not/,
    );
    const refused = await run(await createCase(), []);
    expect(refused.result.verdict).toBe("blocked");
    expect(refused.result.reason).toMatch(
      isInstalled ? /^Nobody has agreed to start a program on its screen by "xterm/ : /which this machine has not/,
    );
  });

  test.each([
    ["desktop: vnc", "a.yaml:2:"],
    ["desktop: { screen: xvfb, size: { width: 5 } }", "a.yaml:2:"],
    ["desktop: { screen: xvfb, program: xterm }", 'a.yaml:2: "program" is no field here'],
  ])("that says %s is wrong", async (desktop, message) => {
    const made = await testers.create();
    await put(made, "a.yaml", `title: A\n${desktop}\nsteps:\n  - { action: x, expected: y }\n`);
    const ended = await callRetinue(made.project, ["test", "a.yaml"]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(message);
  });
});
