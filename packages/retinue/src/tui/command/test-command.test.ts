import type { ModelRequest } from "@retinue/model";
import type { ScriptedTurn } from "@retinue/model/testing";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createProject } from "../../cli/testing/spawn-retinue.ts";
import { DEFAULT_SETTINGS } from "../../settings/settings.ts";
import { createTestResults } from "../../qa/test-results.ts";
import { call, ENTER, playTui, type Played } from "../testing/play-tui.ts";

let played: Played | undefined;
afterEach(() => played?.close());

const GREETING = `title: The greeting is there
steps:
  - action: Write hello to greeting.txt
    expected: { check: command, run: cat greeting.txt, output: hello }
  - action: Look at it
    expected: greeting.txt says "hello"
`;

const stepsOf = (task: string): readonly string[] => [...task.matchAll(/Step \d+: (.*?)\\n/g)].map(([, action = ""]) => action);

/** Plays orchestrator and sub-agents, who write `content`. */
const testers =
  (content: string, before?: Promise<void>) =>
  ({ messages }: ModelRequest): ScriptedTurn => {
    const task = JSON.stringify(messages.filter(({ role }) => role === "user"));
    if (task.includes("MODE 1: PLAN."))
      return {
        text: JSON.stringify({
          sub_tasks: stepsOf(task).map((description, at) => ({ step: at + 1, description, expected_result: "seen" })),
        }),
      };
    if (task.includes("MODE 2: EVALUATE.")) return { text: JSON.stringify({ decision: "stop", reason: "it is broken" }) };
    if (task.includes("MODE 3: VERDICT.")) return { text: JSON.stringify({ status: "pass", summary: "The end." }) };
    if (messages.some(({ role }) => role === "tool")) return { text: "RESULT: PASS\nSUMMARY: It was seen." };
    const toolCalls = task.includes("Write hello")
      ? [call("w", "write", { path: "greeting.txt", content })]
      : [call("s", "shell", { command: "cat greeting.txt" })];
    return { toolCalls, ...(before === undefined ? {} : { before }) };
  };

const start = async (script: ReturnType<typeof testers>): Promise<Played> => {
  const project = await createProject();
  await mkdir(join(project.workspace, "tests"));
  await writeFile(join(project.workspace, "tests/greeting.yaml"), GREETING);
  played = await playTui({
    project,
    script,
    settings: { ...DEFAULT_SETTINGS, approve: "all", allowUnsandboxed: true },
  });
  return played;
};

test("/test shows the steps of a case while they are done, its agents in the tree, and the verdict of each step; the result is kept", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const at = await start(testers("hello\n", promise));
  await at.press("/test tests/greeting.yaml", ENTER);
  await at.until(
    (screen) => /plan 0 of 2/.test(screen) && /● .*Write hello to greeting\.txt/.test(screen) && /qa-step/.test(screen),
  );
  resolve();
  await at.until("1 test case: 1 passed.");
  expect(at.all()).toMatch(/✓ The greeting is there {2}passed.*\n {4}✓ 1 Write hello to greeting\.txt\n {4}✓ 2 Look at it/);
  expect(at.screen()).toContain("ready");
  const kept = await createTestResults(at.project.home, at.retinue.folder).find("latest");
  expect(kept.cases).toMatchObject([{ verdict: "pass" }]);
});

test("/test tells which step failed and why, and a file that is wrong by its line", async () => {
  const at = await start(testers("good bye\n"));
  await at.press("/test", ENTER);
  await at.until("1 test case: 1 failed.");
  expect(at.all()).toMatch(/✗ 1 Write hello to greeting\.txt {2}failed/);
  expect(at.all()).toContain("good bye");
  expect(at.all()).toMatch(/○ 2 Look at it {2}skipped/);
  await writeFile(join(at.project.workspace, "tests/greeting.yaml"), "title: x\nsteps: 3\n");
  await at.press("/test", ENTER);
  await at.until(/* the line at fault */ "greeting.yaml:2");
});

test("Ctrl-C stops a test run, and what was begun is told", async () => {
  const at = await start(testers("hello\n", new Promise(() => undefined)));
  await at.press("/test", ENTER);
  await at.until((screen) => /qa-step/.test(screen));
  await at.press("\u0003");
  await at.until("1 test case: 1");
  expect(at.all()).not.toContain("1 passed");
});
