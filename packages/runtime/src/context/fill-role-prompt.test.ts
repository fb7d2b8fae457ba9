import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import { expect, test } from "vitest";
import { createSpec } from "../delegation/spec.ts";

/** S2 4.2, word for word. */
const SEED = `You are operating as a **{{ROLE}}** sub-agent (depth {{DEPTH}}/{{MAX_DEPTH}}).
- Parent agent: {{PARENT_ROLE}}
- Your task: {{TASK}}
- Success criteria: {{CRITERIA}}
- Max iterations: {{MAX_ITERATIONS}}
- Time limit: {{MAX_DURATION}}
- You {{CAN/CANNOT}} delegate to other sub-agents
{{#IF CAN_DELEGATE}}
- Available delegations: {{ALLOWED_DELEGATIONS}}
{{/IF}}
{{OTHER}} stays.`;

const define = (name: string, prompt: string, delegates: string[] = []) => ({
  ...agentFrontMatterSchema.parse({ name, description: "d", limits: { iterations: 30, durationMs: 300_000 } }),
  delegates,
  prompt,
});

const roleOf = (prompt: string, delegates: string[], task = "build it") => {
  const agent = define("coder", prompt, delegates);
  const agents = new Map([
    ["coder", agent],
    ["tester", define("tester", "T.")],
  ]);
  const grant = { tools: [], writes: [], hosts: [], approve: "ask", maxDepth: 3 } as const;
  const assignment = { parentAgent: "main", task, successCriteria: "it works" };
  return createSpec({ agent, agents, grant, model: "m", workspace: "/w", depth: 1, assignment });
};

test("the placeholders of a role's prompt file are filled with what holds for the run", () => {
  const { system, roleChars } = roleOf(SEED, ["tester"]);
  expect(system.split("\n\nYou work in")[0]).toBe(`You are operating as a **coder** sub-agent (depth 1/3).
- Parent agent: main
- Your task: build it
- Success criteria: it works
- Max iterations: 30
- Time limit: 300 s
- You CAN delegate to other sub-agents
- Available delegations: tester
{{OTHER}} stays.`);
  expect(roleChars).toBeUndefined();
});

test("the part for roles that delegate is left out for those that do not", () => {
  const { system } = roleOf(SEED, []);
  expect(system).toContain("- You CANNOT delegate to other sub-agents\n{{OTHER}} stays.");
});

test("a placeholder in a task is not filled", () => {
  expect(roleOf("Do: {{TASK}}", [], "say {{ROLE}}").system).toMatch(/^Do: say \{\{ROLE\}\}\n/);
});
