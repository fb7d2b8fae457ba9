/** What a prompt is made of: the agent, and what holds for this run of it. */
import type { Limits } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";

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
