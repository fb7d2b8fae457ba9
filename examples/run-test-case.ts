/** A test case from code: an orchestrator plans it, a sub-agent does each step, and the verdict rests on what was recorded. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { OrchestratorResult, SubTask, SubTaskResult } from "retinue";
import { runTestCase } from "retinue";
import { createScriptedModel } from "retinue/testing";

const workspace = await mkdtemp(path.join(tmpdir(), "retinue-case-"));

const plan: { readonly sub_tasks: readonly SubTask[] } = {
  sub_tasks: [{ description: "Write 42 to answer.txt", expected_result: "answer.txt says 42" }],
};
const verdict = { status: "pass", summary: "The answer is written down." };

const model = createScriptedModel(({ system, messages }) => {
  const isDone = messages.at(-1)?.role === "tool";
  if (system.startsWith("You are a QA test orchestrator"))
    return { text: JSON.stringify(JSON.stringify(messages).includes("MODE 1") ? plan : verdict) };
  if (!isDone) return { toolCalls: [{ tool: "write", input: { path: "answer.txt", content: "42\n" } }] };
  return { text: "RESULT: PASS\nSUMMARY: Wrote 42 to answer.txt." };
});

const lines: string[] = [];
const result = await runTestCase(
  {
    title: "The answer is written down",
    steps: [
      { action: "Write 42 to answer.txt", expected: { check: "command", run: "cat answer.txt", output: { equals: "42" } } },
    ],
  },
  {
    workspace,
    model,
    env: { PATH: process.env["PATH"], RETINUE_HOME: path.join(workspace, ".home") },
    approver: () => Promise.resolve({ allowed: true }),
    onLog: (line) => lines.push(line),
  },
);

assert.equal(result.verdict, "pass", result.reason);
const summed: OrchestratorResult = result.orchestrator;
const [first]: readonly SubTaskResult[] = summed.sub_task_results;
assert.equal(summed.status, "pass");
assert.equal(first?.summary, "Wrote 42 to answer.txt.");
assert.equal(lines[0], "[Orchestrator] Planning: decomposed test case into 1 sub-tasks");

await rm(workspace, { recursive: true, force: true });
