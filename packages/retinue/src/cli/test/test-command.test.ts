/** `retinue test` from the command line, with a model that is played: what is run, judged, told and kept. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { suiteResultSchema } from "@retinue/protocol/test-case";
import { afterAll, describe, expect, test } from "vitest";
import { callRetinue } from "../testing/call-retinue.ts";
import { call } from "../testing/mock-project.ts";
import { playTesters, put } from "../testing/play-testers.ts";

const tester = playTesters();
const createTester = tester.create;
afterAll(tester.remove);

const GREETING = `title: The greeting is there
steps:
  - action: Write hello to greeting.txt
    expected: { check: command, run: cat greeting.txt, output: hello }
  - action: Look at it
    expected: greeting.txt says "hello"
`;

const write = (content: string) => (task: string) =>
  task.includes("Write hello")
    ? call("write", { path: "greeting.txt", content })
    : call("shell", { command: "cat greeting.txt" });

describe("retinue test", () => {
  test("passes a case whose checks hold and whose prose is borne out, with the log of both tiers, JUnit and HTML", async () => {
    const made = await createTester({ act: write("hello\n") });
    await put(made, "tests/greeting.yaml", GREETING);
    const [junit, html] = [join(made.project.workspace, "junit.xml"), join(made.project.workspace, "report.html")];
    const ended = await callRetinue(made.project, ["test", "tests", "--junit", junit, "--html", html]);
    expect(ended.code, ended.stderr + ended.stdout).toBe(0);
    expect(ended.stdout).toContain("✓ PASS The greeting is there");
    expect(ended.stdout).toContain("1 passed of 1");
    const log = ended.stderr.split("\n");
    const from = log.indexOf("[Orchestrator] Planning: decomposed test case into 2 sub-tasks");
    expect(log.slice(from, from + 8)).toEqual([
      "[Orchestrator] Planning: decomposed test case into 2 sub-tasks",
      "[Orchestrator] Sub-task 1/2: Write hello to greeting.txt",
      '  [Sub-agent] write(path="greeting.txt", content="hello\\n")',
      "  [Sub-agent] RESULT: PASS — It was seen.",
      '  [Runner] held: the command "cat greeting.txt" ends with 0, its output is "hello"',
      "[Orchestrator] Sub-task 2/2: Look at it",
      '  [Sub-agent] shell(command="cat greeting.txt")',
      "  [Sub-agent] RESULT: PASS — It was seen.",
    ]);
    expect(await readFile(junit, "utf8")).toContain('tests="1" failures="0" errors="0"');
    const page = await readFile(html, "utf8");
    expect(page).toContain("The greeting is there");
    expect(page).not.toMatch(/<script|src="http/);
    const again = await callRetinue(made.project, ["test", "report", "latest", "--json"]);
    expect(JSON.parse(again.stdout)).toMatchObject({
      cases: [
        {
          verdict: "pass",
          steps: [{ said: "pass", checks: [{ result: { status: "held" } }] }, { evidence: [{ kind: "command" }] }],
        },
      ],
    });
  });

  test("fails a step whose check does not hold, whatever its agent says", async () => {
    const made = await createTester({ act: write("good bye\n") });
    await put(made, "tests/greeting.yaml", GREETING);
    const ended = await callRetinue(made.project, ["test", "tests", "--json"]);
    expect(ended.code).toBe(1);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      cases: [
        {
          verdict: "fail",
          steps: [
            { verdict: "fail", said: "pass", checks: [{ result: { observed: "exit code 0, output: good bye" } }] },
            { verdict: "skipped" },
          ],
        },
      ],
    });
  });

  test("does not pass prose that nobody looked at", async () => {
    const made = await createTester();
    await put(made, "tests/a.yaml", "title: A\nsteps:\n  - { action: Look, expected: All is well }\n");
    const ended = await callRetinue(made.project, ["test", "tests"]);
    expect(ended.code).toBe(5);
    expect(ended.stdout).toContain("? INCONCLUSIVE A");
    expect(ended.stdout).toContain("the record holds nothing that was looked at");
  });

  test("does not pass prose whose quoted words are not in what was recorded", async () => {
    const made = await createTester({ act: write("hello\n") });
    await put(made, "tests/a.yaml", GREETING.replace('says "hello"', 'says "good morning"'));
    const ended = await callRetinue(made.project, ["test", "tests"]);
    expect(ended.code).toBe(5);
    expect(ended.stdout).toContain('"good morning" is expected, and is not in what was recorded');
  });

  test("passes prose whose quoted words stand in the middle of a long output, and cites the place", async () => {
    const act = (task: string) =>
      task.includes("Write hello")
        ? call("write", { path: "greeting.txt", content: "hello\n" })
        : call("shell", { command: "seq 1000 1200; cat greeting.txt; seq 2000 2200" });
    const made = await createTester({ act });
    await put(made, "tests/greeting.yaml", GREETING);
    const ended = await callRetinue(made.project, ["test", "tests", "--json"]);
    expect(ended.code, ended.stderr + ended.stdout).toBe(0);
    const { cases } = suiteResultSchema.parse(JSON.parse(ended.stdout));
    const quote = cases[0]?.steps[1]?.evidence[0]?.quote ?? "";
    expect(quote).toContain("1200\nhello\n2000");
    expect(quote.length).toBeLessThan(700);
  });

  test("does not pass where the agent says FAIL though every check holds", async () => {
    const made = await createTester({ act: write("hello\n"), say: () => "RESULT: FAIL\nSUMMARY: I saw something else." });
    await put(made, "tests/greeting.yaml", GREETING);
    const ended = await callRetinue(made.project, ["test", "tests"]);
    expect(ended.code).toBe(5);
    expect(ended.stdout).toContain("The agent reported FAIL, though every check held: I saw something else.");
  });

  test.each(["RESULT: FAIL\nSUMMARY: It was refused.", "RESULT: PASS\nSUMMARY: Written."])(
    "is inconclusive, and never failed, where the last act was refused and the agent says %j",
    async (said) => {
      const made = await createTester({ act: () => call("write", { path: "/greeting.txt", content: "x" }), say: () => said });
      await put(made, "tests/greeting.yaml", GREETING);
      const ended = await callRetinue(made.project, ["test", "tests"]);
      expect(ended.code, ended.stdout).toBe(5);
      expect(ended.stdout).toContain("The last act was not carried out. write:");
    },
  );

  test("is inconclusive where every step passes and the orchestrator says fail", async () => {
    const made = await createTester({ act: write("hello\n"), verdict: "fail" });
    await put(made, "tests/greeting.yaml", GREETING);
    expect((await callRetinue(made.project, ["test", "tests"])).code).toBe(5);
  });

  test("blocks a case whose precondition, reset or before does not hold, and says which", async () => {
    const made = await createTester();
    await put(
      made,
      "tests/a.yaml",
      "title: A\npreconditions:\n  - { check: command, run: test -e server.pid }\nsteps:\n  - { action: x, expected: y }\n",
    );
    await put(made, "tests/b.yaml", "title: B\nbefore:\n  - command: exit 3\nsteps:\n  - { action: x, expected: y }\n");
    const ended = await callRetinue(made.project, ["test", "tests"]);
    expect(ended.code, ended.stderr).toBe(6);
    expect(ended.stdout).toContain("■ BLOCKED A");
    expect(ended.stdout).toContain("A precondition does not hold");
    expect(ended.stdout).toContain("What comes before the case failed");
    expect(made.server.requests).toHaveLength(0);
  });

  test("is blocked, and not failed, where the model cannot be reached", async () => {
    const made = await createTester();
    await made.server.close();
    await put(made, "tests/greeting.yaml", GREETING);
    const ended = await callRetinue(made.project, ["test", "tests"]);
    expect(ended.code, ended.stderr + ended.stdout).toBe(6);
  });

  test("writes its reports also after Ctrl-C, with what was known by then", { tags: ["long"] }, async () => {
    const made = await createTester({
      act: (task) => call("shell", { command: task.includes("Wait for it") ? "sleep 60" : "echo hello > greeting.txt" }),
    });
    await put(made, "tests/a.yaml", GREETING.split("  - action: Look").at(0) ?? "");
    await put(made, "tests/b.yaml", "title: Slow\nsteps:\n  - { action: Wait for it, expected: It came }\n");
    await put(made, "tests/c.yaml", "title: Never\nsteps:\n  - { action: x, expected: y }\n");
    const [junit, html] = [join(made.project.workspace, "junit.xml"), join(made.project.workspace, "report.html")];
    const running = made.project.start(["test", "tests", "--junit", junit, "--html", html]);
    await running.said("stderr", "sleep 60");
    running.child.kill("SIGINT");
    const ended = await running.ended;
    expect(ended.code, ended.stderr).not.toBe(0);
    expect(await readFile(junit, "utf8")).toContain('tests="3" failures="0"');
    expect(await readFile(html, "utf8")).toContain("The test run was cancelled before this case began.");
    expect(ended.stdout).toContain("1 passed");
  });

  test("tells flaky cases apart", { tags: ["long"] }, async () => {
    const made = await createTester({
      act: (task) =>
        call("shell", {
          command: task.includes("Write hello") ? "test -e once && echo hello > greeting.txt; touch once" : "cat greeting.txt",
        }),
    });
    await put(made, "tests/greeting.yaml", GREETING);
    const junit = join(made.project.workspace, "junit.xml");
    const ended = await callRetinue(made.project, ["test", "tests", "--retries", "1", "--junit", junit, "--strict"]);
    expect(ended.stdout).toContain("[flaky]");
    expect(ended.code).toBe(7);
    expect(await readFile(junit, "utf8")).toContain('<property name="flaky" value="true"/>');
  });

  test("the orchestrator is offered no tool, and never sees what tools gave out", async () => {
    const made = await createTester({ act: write("hello CANARY\n") });
    await put(made, "tests/greeting.yaml", GREETING.replace("output: hello", "output: { contains: hello }"));
    await callRetinue(made.project, ["test", "tests"]);
    const asked = made.server.requests.filter(({ text }) => /MODE \d: [A-Z]+\.\\n/.test(text) && !text.includes("YOUR TASK"));
    expect(asked.length).toBeGreaterThan(1);
    for (const { text, body } of asked) {
      expect(text).not.toContain("CANARY");
      expect((body as { readonly tools?: readonly unknown[] }).tools ?? []).toHaveLength(0);
    }
  });

  test.each([
    ["title: A\nsteps:\n  - action: x\n    expected:\n      check: txt\n", 'a.yaml:5: "check" must be one of'],
    ["title: A\nsteps:\n  - action: x\n    hoped: y\n", 'a.yaml:4: "hoped" is no field here'],
    ["title: A\nsteps:\n  - action: x\n", 'a.yaml:3: "expected" is missing'],
    ["title: A\nsteps:\n  - action: go to ${where}\n    expected: y\n", 'a.yaml:3: there is no variable "where"'],
    [
      "title: A\nsteps:\n  - action: x\n    expected: { check: text, in: 'button \"Save' , equals: a }\n",
      "a.yaml:4: an element is written as",
    ],
    [
      "title: A\nsteps:\n  - action: type {{secret:PW}}\n    expected: y\n",
      'a.yaml:3: the secret "PW" is not named in "secrets"',
    ],
    [
      `title: A\nsteps:\n${"  - { action: x, expected: y }\n".repeat(40)}`,
      "a.yaml:33: the case has 40 steps, and 30 is the most",
    ],
    ["title: A\nsteps: [\n", "a.yaml:3: it is not YAML"],
    ["title: A\nsteps:\n  - action: x\n    expected: { check: text, matches: '(' }\n", "a.yaml:4: it is no regular expression"],
  ])("says at which line %j is wrong", async (text, message) => {
    const made = await createTester();
    await put(made, "tests/a.yaml", text);
    const ended = await callRetinue(made.project, ["test", "tests"]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(`tests/${message}`);
  });

  test("runs a case for each data row, by tag, title and share", { tags: ["long"] }, async () => {
    const made = await createTester({ act: (task) => call("shell", { command: `echo ${/user (\w+)/.exec(task)?.[1] ?? ""}` }) });
    await put(
      made,
      "tests/a.yaml",
      'title: Greets ${user}\ntags: [smoke]\ndata:\n  - { user: ada }\n  - { user: bob }\nsteps:\n  - action: greet user ${user}\n    expected: it says "${user}"\n',
    );
    await put(made, "tests/b.yaml", "title: Other\ntags: [slow]\nsteps:\n  - { action: x, expected: y }\n");
    const titles = async (...words: string[]): Promise<readonly string[]> => {
      const { stdout } = await callRetinue(made.project, ["test", "tests", "--json", ...words]);
      return (
        JSON.parse(stdout) as { readonly cases: readonly { readonly title: string; readonly verdict: string }[] }
      ).cases.map(({ title, verdict }) => `${title} ${verdict}`);
    };
    expect(await titles("--tag", "smoke")).toEqual(["Greets ada pass", "Greets bob pass"]);
    expect(await titles("--tag", "smoke", "--shard", "2/2")).toEqual(["Greets bob pass"]);
    expect(await titles("--grep", "^greets a", "--workers", "2")).toEqual(["Greets ada pass"]);
  });

  test("init writes a case that loads, with the schema of the product", async () => {
    const made = await createTester();
    expect((await callRetinue(made.project, ["test", "init"])).code).toBe(0);
    const shipped = await readFile(new URL("../../../test-case.schema.json", import.meta.url), "utf8");
    expect(await readFile(join(made.project.workspace, "tests", "test-case.schema.json"), "utf8")).toBe(shipped);
    const { testCaseJsonSchema } = await import("../../qa/test-case-json-schema.ts");
    expect(JSON.parse(shipped)).toEqual(testCaseJsonSchema());
    const { stderr } = await callRetinue(made.project, ["test", "tests", "--grep", "nothing"]);
    expect(stderr).toContain("none of 1 test cases is meant");
  });
});
