/** Reads one agent file of our own and throws at what is first wrong with it. */
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { RetinueError } from "@retinue/protocol";
import { readSafely } from "./dialects/dialect.ts";
import { readRetinueAgent } from "./dialects/retinue-agent.ts";
import { createNotes } from "./problem.ts";

export const parseAgent = (text: string, file: string): AgentDefinition => {
  const { note, problems } = createNotes(file);
  const read = readSafely({ fallbackName: "", modelNames: new Set(), note }, (context) => readRetinueAgent(text, context));
  if (read.type === "agent") return read.draft.definition;
  const first = problems.find(({ severity }) => severity === "error");
  throw new RetinueError("agent_invalid", `${file}:${first?.line ?? 1}: ${first?.message ?? "it is no agent"}.`);
};
