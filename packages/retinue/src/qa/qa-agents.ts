/** Agents that only test cases need: who holds a case in hand, and the single agent that cases are compared with. */
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";

/** Makes the calls of a case and carries out its plan; it decides nothing itself. */
export const QA_RUNNER = "qa-runner";
/** Does a whole case in one context. */
export const QA_FLAT = "qa-flat";

const FLAT_PROMPT = `You are a strict QA tester. You execute a whole test case, step by step, and report the result honestly.

1. Execute the steps in order, exactly as described, with the tools that are there: the browser, the desktop, the shell.
2. After each step verify its expected result by looking. What you did not see did not happen.
3. Stop at the first step whose expected result does not come.

When you are done, answer with EXACTLY this form and nothing else:

RESULT: PASS or FAIL
SUMMARY: 1-3 sentences of what happened, and on FAIL at which step and what came in its place`;

export const createQaAgents = (): readonly AgentDefinition[] => [
  {
    ...agentFrontMatterSchema.parse({
      name: QA_RUNNER,
      description: "Holds a test case in hand: makes its calls, has it planned, and has its steps carried out.",
      icon: "🧪",
      tools: ["*"],
      delegates: ["qa-step", "qa-orchestrator"],
      expose: "none",
    }),
    prompt: "You hold a test case in hand.",
  },
  {
    ...agentFrontMatterSchema.parse({
      name: QA_FLAT,
      description: "Does a whole test case in one context.",
      icon: "🧪",
      tools: ["*"],
      temperature: 0.1,
      maxOutputTokens: 2048,
      expose: "none",
      limits: { iterations: 200, durationMs: 3_600_000, contextTokens: 32_000 },
    }),
    prompt: FLAT_PROMPT,
  },
];
