/** Test cases from code: planned, carried out, recovered and judged, with results in the words of their design. */
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createMemoryLog } from "@retinue/store";
import { afterEach, beforeEach, describe, expect, expectTypeOf, test } from "vitest";
import type {
  OrchestratorDecision,
  OrchestratorResult,
  RunTestCaseOptions,
  SubTask,
  SubTaskResult,
  TestCaseResult,
} from "../index.ts";
import { runTestCase } from "../index.ts";
import type { ScriptedTurn } from "../library/testing.ts";
import { createScriptedModel } from "../library/testing.ts";

let workspace: string;
beforeEach(async () => void (workspace = await realpath(await mkdtemp(path.join(tmpdir(), "retinue-case-")))));
afterEach(() => rm(workspace, { recursive: true, force: true }));

type Orchestrator = {
  readonly plan: readonly SubTask[];
  /** What is said in place of the plan in its form. */
  readonly planText?: string;
  readonly decide?: readonly object[];
  readonly verdict?: { readonly status: string; readonly summary: string };
};

/** `steps`: what sub-agents say, in the order in which they are asked. */
const play = (
  {
    plan,
    planText = JSON.stringify({ sub_tasks: plan }),
    decide = [],
    verdict = { status: "pass", summary: "All well." },
  }: Orchestrator,
  steps: readonly ScriptedTurn[],
  more: Partial<RunTestCaseOptions> = {},
) => {
  const decisions = [...decide];
  const turns = [...steps];
  const model = createScriptedModel(({ system, messages }) => {
    if (!system.startsWith("You are a QA test orchestrator"))
      return turns.shift() ?? { text: "RESULT: FAIL\nSUMMARY: nothing left" };
    const asked = JSON.stringify(messages.at(-1));
    if (asked.includes("MODE 1")) return { text: planText };
    return { text: JSON.stringify(asked.includes("MODE 2") ? decisions.shift() : verdict) };
  });
  const env = { PATH: process.env["PATH"], HOME: workspace, RETINUE_HOME: path.join(workspace, ".home") };
  const lines: string[] = [];
  const options: RunTestCaseOptions = {
    workspace,
    model,
    env,
    store: createMemoryLog(),
    approver: () => Promise.resolve({ allowed: true }),
    onLog: (line) => lines.push(line),
    ...more,
  };
  return { options, lines };
};

const write = (file: string): ScriptedTurn => ({ toolCalls: [{ tool: "write", input: { path: file, content: "42\n" } }] });
const pass = (summary: string): ScriptedTurn => ({ text: `RESULT: PASS\nSUMMARY: ${summary}` });
const fail = (summary: string): ScriptedTurn => ({ text: `RESULT: FAIL\nSUMMARY: ${summary}` });

const says = (file: string) => ({ check: "command" as const, run: `cat ${file}`, output: { equals: "42" } });

describe("runTestCase", () => {
  test("plans and runs a case that is given in code, and sums it up", async () => {
    const { options, lines } = play(
      {
        plan: [
          { description: "Write a.txt", expected_result: "it says 42" },
          { description: "Write b.txt", expected_result: "it says 42" },
        ],
      },
      [write("a.txt"), pass("Wrote a."), write("b.txt"), pass("Wrote b.")],
    );
    const result = await runTestCase(
      {
        title: "Two files",
        steps: [
          { action: "Write a.txt", expected: says("a.txt") },
          { action: "Write b.txt", expected: says("b.txt") },
        ],
      },
      options,
    );
    expectTypeOf(result).toEqualTypeOf<TestCaseResult>();
    expectTypeOf(result.orchestrator).toEqualTypeOf<OrchestratorResult>();
    expectTypeOf(result.orchestrator.sub_task_results).toEqualTypeOf<readonly SubTaskResult[]>();
    expect([result.verdict, result.reason]).toEqual(["pass", expect.any(String)]);
    expect(result.orchestrator).toEqual({
      status: "pass",
      summary: expect.stringContaining("All well."),
      sub_task_results: [
        { status: "pass", summary: "Wrote a.", iterations: 2, error: null },
        { status: "pass", summary: "Wrote b.", iterations: 2, error: null },
      ],
      total_iterations: 4,
    });
    expect(lines.slice(0, 3)).toEqual([
      "[Orchestrator] Planning: decomposed test case into 2 sub-tasks",
      "[Orchestrator] Sub-task 1/2: Write a.txt",
      '  [Sub-agent] write(path="a.txt", content="42\\n")',
    ]);
    expect(lines).toContain("  [Sub-agent] RESULT: PASS — Wrote a.");
  });

  const SPLIT: readonly SubTask[] = [
    { description: "Find out where a.txt is to be written", expected_result: "the folder is known" },
    { description: "Write a.txt", expected_result: "it says 42" },
    { description: "Write b.txt", expected_result: "it says 42" },
  ];
  test.each([
    ["alone", JSON.stringify({ sub_tasks: SPLIT })],
    ["as an array", JSON.stringify(SPLIT)],
    ["inside prose", `I would do this:\n${JSON.stringify({ sub_tasks: SPLIT })}\nIs that well?`],
    [
      "after thoughts and with a trailing comma",
      `<think>Two files.</think>${JSON.stringify({ sub_tasks: SPLIT }).replace("]}", ",]}")}`,
    ],
  ])("carries out a plan that splits a step, written %s", async (_, planText) => {
    const { options, lines } = play({ plan: [], planText }, [
      pass("Here."),
      write("a.txt"),
      pass("Wrote a."),
      write("b.txt"),
      pass("Wrote b."),
    ]);
    const { verdict, reason, problems } = await runTestCase(
      {
        title: "Two files",
        steps: [
          { action: "Write a.txt", expected: says("a.txt") },
          { action: "Write b.txt", expected: says("b.txt") },
        ],
      },
      options,
    );
    expect([verdict, reason, problems]).toEqual(["pass", expect.any(String), []]);
    expect(lines.filter((line) => line.includes("Planning"))).toEqual([
      "[Orchestrator] Planning: decomposed test case into 3 sub-tasks",
    ]);
    expect(lines.filter((line) => line.includes("] Sub-task"))).toEqual([
      "[Orchestrator] Sub-task 1/3: Find out where a.txt is to be written",
      "[Orchestrator] Sub-task 2/3: Write a.txt",
      "[Orchestrator] Sub-task 3/3: Write b.txt",
    ]);
  });

  test("says once, and truly, how many sub-tasks are carried out where a plan cannot be used", async () => {
    const planText = JSON.stringify({ sub_tasks: [{ description: "Do everything", expected_result: "done" }] });
    const { options, lines } = play({ plan: [], planText }, [write("a.txt"), pass("Wrote a."), write("b.txt"), pass("Wrote b.")]);
    const { verdict, problems } = await runTestCase(
      {
        title: "Two files",
        steps: [
          { action: "Write a.txt", expected: says("a.txt") },
          { action: "Write b.txt", expected: says("b.txt") },
        ],
      },
      options,
    );
    expect(verdict).toBe("pass");
    expect(problems).toEqual(["The orchestrator's plan has 1 sub-tasks for 2 steps; the steps are carried out as written."]);
    expect(lines.filter((line) => line.includes("Planning"))).toEqual([
      "[Orchestrator] Planning: decomposed test case into 2 sub-tasks",
    ]);
  });

  test("recovers once, and counts the iterations of both tries", async () => {
    const recover: Record<string, unknown> = {
      decision: "recover",
      reason: "The folder is missing.",
      recovery_task: { description: "Make it", expected_result: "it is there" },
    };
    const { options } = play({ plan: [{ description: "Write a.txt", expected_result: "it says 42" }], decide: [recover] }, [
      fail("There is no folder."),
      write("folder.txt"),
      pass("Made."),
      write("a.txt"),
      pass("Wrote a."),
    ]);
    const { orchestrator, verdict, reason } = await runTestCase(
      { title: "One file", steps: [{ action: "Write a.txt", expected: says("a.txt") }] },
      options,
    );
    expect([verdict, reason]).toEqual(["pass", expect.any(String)]);
    expect(orchestrator.sub_task_results).toEqual([{ status: "pass", summary: "Wrote a.", iterations: 3, error: null }]);
  });

  test("stops at what cannot be recovered from, and fails", async () => {
    const stop: Omit<OrchestratorDecision, "action" | "recovery_task"> & { decision: OrchestratorDecision["action"] } = {
      decision: "stop",
      reason: "The application is not deployed.",
    };
    const { options } = play(
      {
        plan: [
          { description: "Write a.txt", expected_result: "it says 42" },
          { description: "Write b.txt", expected_result: "it says 42" },
        ],
        decide: [stop],
        verdict: { status: "fail", summary: "Nothing there." },
      },
      [write("x.txt"), fail("The page is a 404.")],
    );
    const { orchestrator, verdict } = await runTestCase(
      {
        title: "Two files",
        steps: [
          { action: "Write a.txt", expected: says("a.txt") },
          { action: "Write b.txt", expected: says("b.txt") },
        ],
      },
      options,
    );
    expect(verdict).toBe("fail");
    expect(orchestrator).toMatchObject({ status: "fail", sub_task_results: [{ status: "fail", error: expect.any(String) }] });
  });

  test("takes the path of a file, with variables, and says what is wrong with one", async () => {
    await writeFile(
      path.join(workspace, "case.yaml"),
      "title: One file\nsteps:\n  - action: Write ${name}\n    expected: { check: command, run: 'cat ${name}', output: '42' }\n",
    );
    const { options } = play({ plan: [{ description: "Write a.txt", expected_result: "42" }] }, [
      write("a.txt"),
      pass("Wrote it."),
    ]);
    const result = await runTestCase("case.yaml", { ...options, variables: { name: "a.txt" } });
    expect([result.verdict, result.steps[0]?.action]).toEqual(["pass", "Write a.txt"]);
    await expect(runTestCase("case.yaml", options)).rejects.toMatchObject({
      code: "usage",
      message: expect.stringMatching(/^case\.yaml:3: .*variable "name"/),
    });
    await expect(runTestCase({ title: "x", steps: [] }, options)).rejects.toMatchObject({ code: "usage" });
  });

  test("blocks a case whose application nobody agreed to start", async () => {
    await writeFile(path.join(workspace, "suite.yaml"), "app:\n  command: sleep 60\n  url: http://127.0.0.1:9\n");
    await writeFile(path.join(workspace, "case.yaml"), "title: x\nsteps:\n  - action: y\n    expected: z\n");
    const { options } = play({ plan: [] }, []);
    const { verdict, reason, orchestrator } = await runTestCase("case.yaml", options);
    expect([verdict, reason]).toEqual(["blocked", '`agree` does not allow starting "sleep 60".']);
    expect(orchestrator).toEqual({ status: "fail", summary: reason, sub_task_results: [], total_iterations: 0 });
  });
});
