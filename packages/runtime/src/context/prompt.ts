/** The system prompt of a run: who the agent is, then what it must know of this run. Generated from what is really there. */
import type { Limits } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { catalogueOf } from "../delegation/agent-catalogue.ts";

/** What a sub-agent is told of where it stands. */
export type Assignment = {
  readonly parentAgent: string;
  readonly task: string;
  readonly successCriteria?: string | undefined;
  /** It goes on with its parent's conversation, and its answer is read by whoever its parent answers. */
  readonly isTransfer?: boolean;
};

export type PromptOptions = {
  readonly agent: AgentDefinition;
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  readonly delegates: readonly string[];
  readonly tools: readonly string[];
  readonly workspace: string;
  /** The workspace is a git worktree made for this run. */
  readonly hasOwnCopy: boolean;
  readonly depth: number;
  readonly maxDepth: number;
  readonly limits: Limits;
  readonly assignment: Assignment | undefined;
  /** How the sub-agents did so far, in words. */
  readonly figures: string | undefined;
};

export const createPrompt = (options: PromptOptions): string =>
  [
    options.agent.prompt.trim(),
    `You work in the folder ${options.workspace}. Paths are relative to it.${options.hasOwnCopy ? ` ${OWN_COPY}` : ""}`,
    ...(options.assignment ? [aboutAssignment(options, options.assignment)] : []),
    ...(options.delegates.length > 0 ? [aboutDelegation(options)] : []),
    ...(options.delegates.length > 0 && options.figures !== undefined ? [`## Sub-Agents So Far\n\n${options.figures}`] : []),
    ...(options.agent.output ? [aboutOutput(options.agent.output)] : []),
  ].join("\n\n");

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
      ? [`${assignment.parentAgent} handed this conversation to you. Answer in its place, to whoever it was speaking with.`]
      : RESPONSE_REQUIREMENTS),
    "",
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
    "### When to Delegate",
    "",
    ...lines,
    ...(untold === 0 ? [] : [`- and ${untold} more, which \`find_agent\` finds`]),
    "",
    "### When NOT to Delegate",
    "",
    "- Simple questions or explanations",
    "- Single file changes, quick fixes (< 5 minutes)",
    "- Tasks that need the user's answers",
    "",
    "### Delegation Best Practices",
    "",
    "1. A sub-agent sees only what you tell it: task, files, how success is recognised",
    "2. Independent tasks go out in one turn and run side by side",
    "3. Review what comes back; what is marked unverified was not found in the record",
  ].join("\n");
};
