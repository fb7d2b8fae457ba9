/**
 * The system prompt of a run: who the agent is, then what it must know of this run. Generated from what is really there. What runs of one agent share stands
 * first, so that a provider finds it in its cache.
 */
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { catalogueOf } from "../delegation/agent-catalogue.ts";
import { fillRolePrompt } from "./fill-role-prompt.ts";
import type { Assignment, PromptOptions } from "./prompt-options.ts";

export type Prompt = {
  readonly system: string;
  /** Characters at its beginning that runs of the agent share. */
  readonly sharedChars: number;
};

export const createPrompt = (options: PromptOptions): Prompt => {
  const { assignment } = options;
  const folder = `You work in the folder ${options.workspace}. Paths are relative to it.${options.hasOwnCopy ? ` ${OWN_COPY}` : ""}`;
  const shared = [
    fillRolePrompt(options.agent.prompt.trim(), options),
    ...(options.hasOwnCopy ? [] : [folder]),
    ...(options.delegates.length > 0 ? [aboutDelegation(options)] : []),
    ...(options.agent.output ? [aboutOutput(options.agent.output)] : []),
    ...(assignment === undefined || assignment.isTransfer === true ? [] : [RESPONSE_REQUIREMENTS.join("\n")]),
  ].join("\n\n");
  const own = [
    ...(options.hasOwnCopy ? [folder] : []),
    ...(options.delegates.length > 0 && options.figures !== undefined ? [`## Sub-Agents So Far\n\n${options.figures}`] : []),
    ...(assignment ? [aboutAssignment(options, assignment)] : []),
  ];
  return { system: [shared, ...own].join("\n\n"), sharedChars: shared.length };
};

const OWN_COPY =
  "It is a copy of the project for you alone, without the files that git ignores; your changes are merged into the project when you are done.";

const aboutAssignment = ({ agent, depth, maxDepth, limits, delegates }: PromptOptions, assignment: Assignment): string =>
  [
    "## Sub-Agent Context",
    "",
    `You are operating as a **${agent.name}** sub-agent (depth ${depth}/${maxDepth}).`,
    `- Parent agent: ${assignment.parentAgent}`,
    `- Your task: ${oneLine(assignment.task)}`,
    `- Success criteria: ${assignment.successCriteria === undefined ? "none given; judge by the task" : oneLine(assignment.successCriteria)}`,
    "",
    ...(assignment.isTransfer === true
      ? [`${assignment.parentAgent} handed this conversation to you. Answer in its place, to whoever it was speaking with.`, ""]
      : []),
    "## Constraints",
    "",
    `- Max iterations: ${limits.iterations ?? "no limit of your own"}`,
    `- Max tool calls: ${limits.toolCalls ?? "no limit of your own"}`,
    `- Time limit: ${limits.durationMs === undefined ? "no limit of your own" : `${limits.durationMs / 1_000} s`}`,
    `- You ${delegates.length > 0 ? "CAN" : "CANNOT"} delegate to other sub-agents`,
    ...(delegates.length > 0 ? [`- Available delegations: ${delegates.join(", ")}`] : []),
  ].join("\n");

const RESPONSE_REQUIREMENTS = [
  "## Response Requirements",
  "",
  "Your last message is all that your parent reads. Write it under these headings, and leave out those that have nothing under them:",
  "1. `## Summary` (1-2 sentences of what you accomplished)",
  "2. `## Details` (technical specifics: paths, line numbers, names)",
  "3. `## Files` modified or created, and tests run: only what really happened, it is checked against the record",
  "4. `## Findings`, where you were asked to look for something: one a line, beginning with `- `",
  "5. `## Warnings` and `## Suggestions` for the parent: one a line, beginning with `- `",
];

const TASK_CHARS = 2_000;

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim().slice(0, TASK_CHARS);

const aboutOutput = (schema: NonNullable<AgentDefinition["output"]>): string =>
  `## Result\n\nYour last message is one JSON value and nothing else. It fits this JSON Schema:\n\n${JSON.stringify(schema)}`;

const aboutDelegation = ({ agents, delegates, tools }: PromptOptions): string => {
  const { lines, untold } = catalogueOf(agents, delegates, tools);
  return [
    "## Delegation Guidelines",
    "",
    "You can delegate specialized tasks to sub-agents using the `delegate_to_agent` tool.",
    "",
    "### When to Delegate",
    "",
    ...lines,
    ...(untold === 0 ? [] : [`- and ${untold} more, which \`find_agent\` finds`]),
    "",
    "### When NOT to Delegate",
    "",
    "- Simple questions or explanations",
    "- Single file modifications",
    "- Quick fixes (< 5 minutes of work)",
    "- Tasks requiring user interaction",
    "",
    "### Delegation Best Practices",
    "",
    "1. Provide clear, specific task descriptions: a sub-agent sees only what you tell it",
    "2. Include relevant file paths if known",
    "3. Define success criteria when possible",
    "4. Review sub-agent results before proceeding; what is marked unverified was not found in the record",
    "5. Independent tasks go out in one turn and run side by side",
  ].join("\n");
};
