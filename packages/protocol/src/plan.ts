/** Plans: a declarative list of steps, what depends on what, and what became of each. */
import type { GivenCall } from "./call-task.ts";
import type { Usage } from "./usage.ts";

export const STEP_TYPES = ["research", "planning", "implementation", "testing", "review", "debugging", "check"] as const;
export type StepType = (typeof STEP_TYPES)[number];

/** One unit of a plan; one run carries it out. */
export type PlanStep = {
  /** Names it within its plan. */
  readonly id: string;
  readonly description: string;
  /** What can be observed once it is done. */
  readonly expectedResult: string;
  readonly type: StepType;
  /** Who carries it out. */
  readonly agent: string;
  /** The steps that must be completed before it. */
  readonly dependsOn: readonly string[];
  /** A human is asked before it begins. */
  readonly requiresApproval: boolean;
  readonly estimatedToolCalls?: number;
  /** Made, by us, in place of what an agent would do, as when recorded acts are done again. The step fails at the first that fails. */
  readonly calls?: readonly GivenCall[];
  /** Made, by us, after whoever carries the step out has ended: it is completed only where all of them hold, whatever was said. */
  readonly checks?: readonly GivenCall[];
  /** Tools of its agent that it goes without; names or globs. */
  readonly withoutTools?: readonly string[];
  /** Where one of `calls` cannot be made, and the checks show that the step is not done: its agent does the step once, by these tools alone. */
  readonly heal?: { readonly tools: readonly string[] };
};

export type Plan = { readonly goal: string; readonly steps: readonly PlanStep[] };

/**
 * skipped: a step that it depends on failed. blocked: it was not begun for another reason: a human said no, or the plan was stopped.
 */
export type StepState = "pending" | "in_progress" | "completed" | "failed" | "skipped" | "blocked";

/** A piece of work for one sub-agent, as orchestrators write it. */
export type SubTask = { readonly description: string; readonly expected_result: string };

export type SubTaskResult = {
  readonly status: "pass" | "fail";
  readonly summary: string;
  readonly iterations: number;
  readonly error: string | null;
};

/** What an orchestrator decides after a failure. */
export type OrchestratorDecision = {
  readonly action: "continue" | "recover" | "stop";
  readonly reason: string;
  readonly recovery_task: SubTask | null;
};

export type OrchestratorResult = {
  readonly status: "pass" | "fail";
  readonly summary: string;
  readonly sub_task_results: readonly SubTaskResult[];
  readonly total_iterations: number;
};

/** What carrying out a plan took, in all the runs that it needed. */
export type PlanTotals = {
  readonly iterations: number;
  readonly toolCalls: number;
  readonly usage: Usage;
  /** Null where no price is known for a model that was used. */
  readonly costUsd: number | null;
};
