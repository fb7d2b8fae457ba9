/** What a model may ask for when it delegates, and what a delegation needs of its host to be made. */
import type { CallId, Message, RunId, RunResult, RunSpec } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { z } from "zod";
import type { Spent } from "../loop/tool.ts";
import type { RunState } from "../record/run-state.ts";
import type { WorktreePlace } from "./worktrees.ts";

const CONTEXT_MODES = ["none", "summary", "selective", "full"] as const;

/** A run to be started below another one. */
export type ChildRun = {
  readonly callId: CallId;
  readonly agent: string;
  readonly task: string;
  readonly spec: RunSpec;
  /** The parent's conversation, where the child is given all of it. */
  readonly history?: readonly Message[];
  readonly background: boolean;
};

/** It goes on by itself; its result comes as a message. */
export type InBackground = { readonly inBackground: RunId };

export type DelegationOptions = {
  readonly state: RunState;
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  /** Used by agents that name none. */
  readonly model: string;
  /** The agents and tasks from the main agent down to this run. */
  readonly chain: readonly { readonly agent: string; readonly task: string }[];
  /** The run that a call starts. */
  readonly childRunId: (callId: CallId) => RunId;
  /** Resolves when the child has settled, or at once where it runs in the background. */
  readonly start: (child: ChildRun, signal: AbortSignal) => Promise<RunResult | InBackground>;
  /** The parent's state in a few lines. */
  readonly summarise: (signal: AbortSignal) => Promise<{ readonly text: string; readonly spent: Spent }>;
  /** An answer in a few lines, by the cheap model; undefined where it said nothing. Absent: answers are handed on as they are. */
  readonly condense?: (
    text: string,
    signal: AbortSignal,
  ) => Promise<{ readonly text: string; readonly spent: Spent } | undefined>;
  /** How many tokens of a child's answer enter this run's context, where the child's definition does not say. */
  readonly resultTokens?: number | undefined;
  /** Finds a place for the worktree of a child. Those that were asked for first are given first. */
  readonly isolate: (callId: CallId) => Promise<WorktreePlace>;
  /** The text of a file of the workspace that policy has let through. */
  readonly readFile: (file: string) => Promise<string>;
  /** Where a folder of the workspace that policy has let through really lies, from the workspace on; throws for what is none. */
  readonly openDirectory: (named: string) => Promise<string>;
};

export const delegationSchema = z.object({
  agent: z.string(),
  task: z.string().min(1).describe("Clear description of what the sub-agent should accomplish"),
  context: z.string().optional(),
  context_files: z.array(z.string()).optional().describe("Optional: specific files the sub-agent should focus on"),
  success_criteria: z.string().optional().describe("Optional: how to determine if the task was successful"),
  context_mode: z.enum(CONTEXT_MODES).optional().describe("selective: the text of context_files; full: this conversation"),
  limits: z
    .object({
      iterations: z.int().positive().optional(),
      toolCalls: z.int().nonnegative().optional(),
      durationMs: z.int().positive().optional(),
      tokens: z.int().positive().optional(),
      costUsd: z.number().nonnegative().optional(),
    })
    .optional()
    .describe("At most what you have left"),
  working_directory: z.string().min(1).optional(),
  tools: z.array(z.string()).optional(),
  background: z.boolean().optional().describe("Its result comes later"),
  result_tokens: z.int().positive().optional(),
  transfer: z.boolean().optional().describe("It goes on in your place"),
});

/** `skill`: it was asked for as a skill, and is answered as one. `called`: the name that the model used for the agent. */
export type Delegation = z.infer<typeof delegationSchema> & { readonly form?: "skill"; readonly called?: string };
