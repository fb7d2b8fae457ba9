/** S0, the QA orchestrator: models, contexts, prompts, output forms, state, recovery, types, settings and log lines. */
import { expect } from "vitest";
import type { WireBody } from "./seed-bench.ts";
import { textOf } from "./seed-bench.ts";
import type { Seed, SeedItem } from "./seed-item.ts";

const item = (line: number, words: string, asserts: string, check: SeedItem["check"], decided?: string): SeedItem => ({
  line,
  words,
  asserts,
  check,
  ...(decided === undefined ? {} : { decided }),
});

const setting = (line: number, words: string, path: string, value: unknown): SeedItem =>
  item(line, words, `the variable sets ${path}`, async ({ settings }) => {
    const [name = "", text = ""] = words.split("=");
    const { settings: loaded } = await settings({ [name]: text });
    const found = path.split("/").reduce<unknown>((tree, key) => (tree as Record<string, unknown> | undefined)?.[key], loaded);
    expect(found).toBe(value);
  });

const prompt = (line: number, words: string, agent: string, text: string = words): SeedItem =>
  item(line, words, `the prompt of ${agent} says it`, async ({ agent: ask }) =>
    expect((await ask(agent)).system).toContain(text),
  );

const systemOf = ({ messages }: WireBody): string => textOf(messages[0]?.content);
const ofOrchestrator = (bodies: readonly WireBody[]): readonly WireBody[] =>
  bodies.filter((body) => systemOf(body).startsWith("You are a QA test orchestrator"));
const ofSteps = (bodies: readonly WireBody[]): readonly WireBody[] =>
  bodies.filter((body) => systemOf(body).startsWith("You are a strict QA step executor"));
const saidTo = (body: WireBody | undefined): string => (body?.messages ?? []).map(({ content }) => textOf(content)).join("\n");
const tokensOf = ({ max_tokens: old, max_completion_tokens: now }: WireBody): number | undefined => now ?? old;

const line = (at: number, words: string, expected: string): SeedItem =>
  item(at, words, `the live log says ${expected}`, async ({ testCase }) => expect((await testCase()).lines).toContain(expected));

const type = (at: number, words: string, name: string, check: SeedItem["check"]): SeedItem =>
  item(at, words, `${name} has it`, check);

export const S0: Seed = {
  id: "S0",
  items: [
    item(45, "| Context | 32k tokens |", "qa-orchestrator is recorded with this context", async ({ agent }) =>
      expect((await agent("qa-orchestrator")).spec.limits.contextTokens).toBe(32_000),
    ),
    item(46, "| Max output tokens | 4096 |", "its request asks for this many", async ({ testCase }) =>
      expect(ofOrchestrator((await testCase()).bodies).map(tokensOf)).toEqual(expect.arrayContaining([4096])),
    ),
    item(47, "| Temperature | 0.1 |", "its request has it", async ({ testCase }) =>
      expect(new Set(ofOrchestrator((await testCase()).bodies).map(({ temperature }) => temperature))).toEqual(new Set([0.1])),
    ),
    item(
      51,
      "the full test case (preconditions, steps, expected results)",
      "the request that plans holds all of it",
      async ({ testCase }) => {
        const said = saidTo(ofOrchestrator((await testCase()).bodies)[0]);
        for (const part of ["released.txt", "Write the version and the notes", "Look at both"]) expect(said).toContain(part);
      },
    ),
    prompt(53, "Keep existing test steps as-is", "qa-orchestrator", "Keep the steps of the test case as they are"),
    item(54, "Split compound steps", "a step of two actions becomes two sub-tasks", async ({ testCase }) =>
      expect((await testCase()).lines).toContain("[Orchestrator] Planning: decomposed test case into 3 sub-tasks"),
    ),
    prompt(55, "Add implicit steps", "qa-orchestrator", "Add steps that are implied"),
    item(57, "The sub-task description + expected result", "the request of a sub-agent holds both", async ({ testCase }) => {
      const said = saidTo(ofSteps((await testCase()).bodies)[0]);
      expect(said).toContain("YOUR TASK:\nWrite the version");
      expect(said).toContain("EXPECTED RESULT:");
    }),
    item(
      58,
      "**state summary** of what happened so far",
      "a later sub-agent reads what earlier ones said",
      async ({ testCase }) => expect(saidTo(ofSteps((await testCase()).bodies).at(-1))).toContain("Version 1.0 is written."),
    ),
    item(
      60,
      "creates a recovery sub-task and retries",
      "a failed sub-task is recovered from and passes",
      async ({ testCase }) => {
        const { result, lines } = await testCase();
        expect(lines.some((one) => one.includes("Install the tool"))).toBe(true);
        expect(result.orchestrator.sub_task_results[1]).toMatchObject({ status: "pass", summary: "The notes are written." });
      },
    ),
    item(
      61,
      "the orchestrator stops and fails the test case",
      "a failure that is not recoverable ends the case",
      async ({ failingCase }) => {
        const { orchestrator, steps } = (await failingCase("for good")).result;
        expect(orchestrator).toMatchObject({ status: "fail", sub_task_results: [{ status: "fail" }] });
        expect(steps[1]).toMatchObject({ verdict: "skipped", reason: "The plan was stopped: The application is not deployed." });
      },
    ),
    item(
      205,
      "If recovery sub-task itself fails",
      "the case is stopped, and the recovery is tried once",
      async ({ failingCase }) => {
        const { result, lines } = await failingCase("in recovery");
        expect(result.orchestrator).toMatchObject({ status: "fail", sub_task_results: [{ status: "fail" }] });
        expect(result.steps[1]).toMatchObject({
          verdict: "skipped",
          reason: expect.stringContaining("the recovery of step 1 failed") as string,
        });
        expect(lines.filter((one) => one.includes("Mend it"))).toHaveLength(1);
      },
    ),
    item(62, "**Produces a final verdict**", "the case has a verdict and a summary", async ({ testCase }) =>
      expect((await testCase()).result).toMatchObject({
        verdict: "pass",
        orchestrator: { status: "pass", summary: expect.stringContaining("The release is prepared.") },
      }),
    ),
    item(66, "Call any tools directly", "no request of the orchestrator offers a tool", async ({ testCase }) =>
      expect(ofOrchestrator((await testCase()).bodies).filter(({ tools = [] }) => tools.length > 0)).toEqual([]),
    ),
    item(68, "See raw tool outputs", "no request of the orchestrator holds what a tool gave out", async ({ testCase }) =>
      expect(ofOrchestrator((await testCase()).bodies).some((body) => body.messages.some(({ role }) => role === "tool"))).toBe(
        false,
      ),
    ),
    prompt(73, "You are a QA test orchestrator. You break test cases into", "qa-orchestrator"),
    prompt(
      74,
      "dispatch them to executor agents, and decide pass/fail.",
      "qa-orchestrator",
      "dispatch them to executor agents, and decide pass or fail.",
    ),
    prompt(78, "PLAN:", "qa-orchestrator", "MODE 1: PLAN."),
    prompt(
      80,
      "Each sub-task has: description, expected_result.",
      "qa-orchestrator",
      '"description": "…", "expected_result": "…"',
    ),
    prompt(82, "EVALUATE:", "qa-orchestrator", "MODE 2: EVALUATE."),
    prompt(84, '"continue": proceed to next sub-task', "qa-orchestrator", "- `continue`:"),
    prompt(85, '"recover": create a recovery sub-task', "qa-orchestrator", "- `recover`:"),
    prompt(86, '"stop": the failure is non-recoverable', "qa-orchestrator", "- `stop`:"),
    prompt(95, '"sub_tasks": [', "qa-orchestrator", '{"sub_tasks": ['),
    prompt(112, '"decision": "continue" | "recover" | "stop"', "qa-orchestrator"),
    prompt(114, '"recovery_task": {', "qa-orchestrator"),
    item(128, "| Context | 8k tokens |", "qa-step is recorded with this context", async ({ agent }) =>
      expect((await agent("qa-step")).spec.limits.contextTokens).toBe(8_000),
    ),
    item(129, "| Max output tokens | 2048 |", "its request asks for this many", async ({ testCase }) =>
      expect(new Set(ofSteps((await testCase()).bodies).map(tokensOf))).toEqual(new Set([2048])),
    ),
    item(130, "| Temperature | 0.1 |", "its request has it", async ({ testCase }) =>
      expect(new Set(ofSteps((await testCase()).bodies).map(({ temperature }) => temperature))).toEqual(new Set([0.1])),
    ),
    item(131, "| Max iterations | 15 |", "its row has it", async ({ agent }) =>
      expect((await agent("qa-step")).row.max_iterations).toBe(15),
    ),
    item(132, "| Timeout | 180s |", "its row has it", async ({ agent }) =>
      expect((await agent("qa-step")).row.max_duration_ms).toBe(180_000),
    ),
    prompt(144, "You are a strict QA step executor. You execute ONE test step", "qa-step"),
    prompt(145, "and report the result honestly.", "qa-step"),
    prompt(151, "Execute the step exactly as described", "qa-step"),
    prompt(152, "After executing, verify the expected result", "qa-step"),
    prompt(153, "EXACTLY this format when done", "qa-step", "answer with EXACTLY this form"),
    prompt(154, "RESULT: PASS or FAIL", "qa-step"),
    prompt(155, "SUMMARY: <1-3 sentences of what happened>", "qa-step", "SUMMARY: 1-3 sentences of what happened"),
    prompt(
      156,
      "If you cannot execute the step, respond with FAIL and explain why",
      "qa-step",
      "If you cannot execute the step, answer with FAIL and explain why",
    ),
    ...["CURRENT STATE:", "YOUR TASK:", "EXPECTED RESULT:"].map((words, at) =>
      item(158 + at * 3, words, "the task of a sub-agent has this part", async ({ testCase }) =>
        expect(saidTo(ofSteps((await testCase()).bodies)[0])).toContain(words),
      ),
    ),
    item(
      170,
      "all controller, browser, and search tools. No restrictions.",
      "with the preset s0, qa-step is offered them within its 8k",
      async ({ agent }) => {
        const { toolNames } = await agent("qa-step", "s0");
        for (const name of [
          "browser_navigate",
          "browser_click",
          "browser_type",
          "browser_take_screenshot",
          "screenshot",
          "click",
          "type",
          "key",
          "shell",
          "web_search",
        ])
          expect(toolNames).toContain(name);
      },
    ),
    item(137, "execute_command, etc.", "execute_command is another name of shell", async ({ retinue }) => {
      const at = await retinue();
      const run = await at.run("x", { agent: "qa-step", tools: ["execute_command"] });
      await run.result;
      const [requested] = await at.events(run.sessionId);
      expect(requested).toMatchObject({ spec: { tools: ["shell"] } });
    }),
    item(177, "Starting with an empty state", "the first sub-agent is told that nothing was done", async ({ testCase }) =>
      expect(saidTo(ofSteps((await testCase()).bodies)[0])).toContain("CURRENT STATE:\nNothing has been done yet."),
    ),
    item(
      178,
      "appending the sub-agent's summary to the state",
      "the last one reads the summaries of all before it",
      async ({ testCase }) => {
        const said = saidTo(ofSteps((await testCase()).bodies).at(-1));
        for (const summary of ["Version 1.0 is written.", "The notes are written."]) expect(said).toContain(summary);
      },
    ),
    item(179, "compress the state if it grows too long", "the state has a bound in the settings", async ({ settings }) =>
      expect((await settings({})).settings.plan.stateChars).toBe(4_000),
    ),
    item(204, "Max 1 recovery attempt per sub-task", "one by default", async ({ settings }) =>
      expect((await settings({})).settings.plan.maxRecoveries).toBe(1),
    ),
    type(217, 'status: Literal["pass", "fail"]', "SubTaskResult", async ({ testCase }) =>
      expect((await testCase()).result.orchestrator.sub_task_results.map(({ status }) => status)).toEqual([
        "pass",
        "pass",
        "pass",
      ]),
    ),
    type(218, "summary: str", "SubTaskResult", async ({ testCase }) =>
      expect((await testCase()).result.orchestrator.sub_task_results[0]?.summary).toBe("Version 1.0 is written."),
    ),
    type(219, "iterations: int", "SubTaskResult", async ({ testCase }) =>
      expect((await testCase()).result.orchestrator.sub_task_results.map(({ iterations }) => iterations)).toEqual([2, 3, 2]),
    ),
    type(220, "error: str | None = None", "SubTaskResult", async ({ testCase }) =>
      expect((await testCase()).result.orchestrator.sub_task_results[0]?.error).toBeNull(),
    ),
    type(230, 'status: Literal["pass", "fail"]', "OrchestratorResult", async ({ testCase }) =>
      expect((await testCase()).result.orchestrator.status).toBe("pass"),
    ),
    type(232, "sub_task_results: tuple[SubTaskResult, ...]", "OrchestratorResult", async ({ testCase }) =>
      expect((await testCase()).result.orchestrator.sub_task_results).toHaveLength(3),
    ),
    type(233, "total_iterations: int", "OrchestratorResult", async ({ testCase }) =>
      expect((await testCase()).result.orchestrator.total_iterations).toBe(7),
    ),
    type(224, 'action: Literal["continue", "recover", "stop"]', "the recorded decision", async ({ testCase, retinue }) => {
      const { result } = await testCase();
      const events = await (await retinue()).events(result.sessionId ?? "ses_");
      expect(events.find((event) => event.type === "plan.decided")).toMatchObject({
        decision: "recover",
        reason: "The tool is missing.",
        recoveryTask: { description: "Install the tool", expected_result: "tool.txt is there" },
      });
    }),
    setting(
      240,
      "ORCHESTRATOR_MODEL=ai/qwen3:32B-Q8_K_XL",
      "agents/qa-orchestrator/model",
      "docker-model-runner/ai/qwen3:32B-Q8_K_XL",
    ),
    setting(241, "ORCHESTRATOR_MAX_TOKENS=4096", "agents/qa-orchestrator/maxOutputTokens", 4096),
    setting(242, "ORCHESTRATOR_TEMPERATURE=0.1", "agents/qa-orchestrator/temperature", 0.1),
    setting(245, "SUB_AGENT_MODEL=ai/mistral", "agents/qa-step/model", "docker-model-runner/ai/mistral"),
    setting(246, "SUB_AGENT_MAX_TOKENS=2048", "agents/qa-step/maxOutputTokens", 2048),
    setting(247, "SUB_AGENT_TEMPERATURE=0.1", "agents/qa-step/temperature", 0.1),
    setting(248, "SUB_AGENT_MAX_ITERATIONS=15", "agents/qa-step/limits/iterations", 15),
    setting(249, "SUB_AGENT_TIMEOUT_SECONDS=180", "agents/qa-step/limits/durationMs", 180_000),
    setting(252, "ORCHESTRATOR_MAX_SUBTASKS=30", "plan/maxSteps", 30),
    setting(253, "ORCHESTRATOR_MAX_RECOVERY_ATTEMPTS=1", "plan/maxRecoveries", 1),
    line(
      284,
      "[Orchestrator] Planning: decomposed test case into 5 sub-tasks",
      "[Orchestrator] Planning: decomposed test case into 3 sub-tasks",
    ),
    line(285, "[Orchestrator] Sub-task 1/5: Navigate to login page", "[Orchestrator] Sub-task 1/3: Write the version"),
    line(
      286,
      '  [Sub-agent] browser_navigate(url="https://example.com/login")',
      '  [Sub-agent] write(path="version.txt", content="1.0")',
    ),
    line(288, "  [Sub-agent] RESULT: PASS", "  [Sub-agent] RESULT: PASS — Version 1.0 is written."),
    item(287, 'browser_take_screenshot(question="Is the login page shown?")', "the tool takes a question", async ({ agent }) =>
      expect(
        (await agent("qa-step", "s0")).body.tools?.find(({ function: { name } }) => name === "browser_take_screenshot")?.function
          .parameters.properties,
      ).toHaveProperty("question"),
    ),
    item(
      290,
      'browser_type(description="email input", text="admin@example.com")',
      "the tool takes a description and a text",
      async ({ agent }) => {
        const properties = (await agent("qa-step", "s0")).body.tools?.find(({ function: { name } }) => name === "browser_type")
          ?.function.parameters.properties;
        expect(properties).toHaveProperty("text");
        expect(properties).toHaveProperty("description");
      },
    ),
    item(
      280,
      "Sub-agent tool calls and results are **still broadcast**",
      "the events of the session hold them",
      async ({ testCase, retinue }) => {
        const events = await (await retinue()).events((await testCase()).result.sessionId ?? "ses_");
        expect(events.some((event) => event.type === "tool.settled" && event.agent === "qa-step")).toBe(true);
      },
    ),
    item(314, "Compare token usage: old (single agent) vs new", "retinue test has an option for it", async ({ command }) =>
      expect((await command(["test", "--help"])).stdout).toContain("--compare-flat"),
    ),
  ],
};
