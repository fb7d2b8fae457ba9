/** Fills the placeholders of a role's prompt file, such as `{{ROLE}}`, with what holds for the run. Other braces stay as they are. */
import type { PromptOptions } from "./prompt-options.ts";

const PLACEHOLDER =
  /\{\{(ROLE|DEPTH|MAX_DEPTH|PARENT_ROLE|TASK|CRITERIA|MAX_ITERATIONS|MAX_DURATION|CAN\/CANNOT|ALLOWED_DELEGATIONS)\}\}/g;
const CONDITION = /\{\{#IF CAN_DELEGATE\}\}\n?([\s\S]*?)\{\{\/IF\}\}\n?/g;

export const hasPlaceholders = (prompt: string): boolean => prompt.search(PLACEHOLDER) >= 0 || prompt.search(CONDITION) >= 0;

/** A value is put in once: what a task says in braces is never filled. */
export const fillRolePrompt = (prompt: string, options: PromptOptions): string => {
  const { agent, depth, maxDepth, delegates, limits, assignment } = options;
  const values = new Map([
    ["ROLE", agent.name],
    ["DEPTH", String(depth)],
    ["MAX_DEPTH", String(maxDepth)],
    ["PARENT_ROLE", assignment?.parentAgent ?? "none"],
    ["TASK", assignment?.task ?? "what the user says"],
    ["CRITERIA", assignment?.successCriteria ?? "none given; judge by the task"],
    ["MAX_ITERATIONS", limits.iterations === undefined ? "no limit of your own" : String(limits.iterations)],
    ["MAX_DURATION", limits.durationMs === undefined ? "no limit of your own" : `${limits.durationMs / 1_000} s`],
    ["CAN/CANNOT", delegates.length > 0 ? "CAN" : "CANNOT"],
    ["ALLOWED_DELEGATIONS", delegates.join(", ") || "none"],
  ]);
  return prompt
    .replace(CONDITION, (_, inner: string) => (delegates.length > 0 ? inner : ""))
    .replace(PLACEHOLDER, (whole, name: string) => values.get(name) ?? whole);
};
