/** Words what a child is told: its task, and what it is given besides. */
import type { Delegation } from "./delegation-request.ts";

export const wordTask = (delegation: Delegation, summary: string | null, files: readonly string[]): string =>
  [
    delegation.task,
    ...(delegation.context === undefined ? [] : [`## Context\n\n${delegation.context}`]),
    ...(summary === null ? [] : [`## What your parent knows\n\n${summary}`]),
    ...(files.length > 0
      ? [`## Files\n\n${files.join("\n\n")}`]
      : delegation.context_files?.length
        ? [`## Files to focus on\n\n${delegation.context_files.map((file) => `- ${file}`).join("\n")}`]
        : []),
    ...(delegation.success_criteria === undefined ? [] : [`## Success criteria\n\n${delegation.success_criteria}`]),
  ].join("\n\n");
