/** The one structure that every run hands back, whatever became of it. */
import type { ErrorValue } from "./errors.ts";
import type { Json } from "./json.ts";
import type { Usage } from "./usage.ts";

export type RunStatus = "completed" | "partial" | "failed" | "cancelled" | "timeout";

/** Why a run was stopped before it was done. */
export type BailoutReason =
  | "max_iterations"
  | "max_tool_calls"
  | "timeout"
  | "max_context"
  | "max_tokens"
  | "max_cost"
  | "stuck"
  | "error"
  | "cancelled";

export type RunResult = {
  readonly status: RunStatus;
  /** A few lines; the only part that enters a parent's context unasked. */
  readonly summary: string;
  /** The whole of what the agent said last. */
  readonly details: string;
  /** What it handed in by its output schema, if it has one. */
  readonly output?: Json;
  readonly filesModified: readonly string[];
  readonly filesCreated: readonly string[];
  readonly testsRun: number;
  readonly testsPassed: number;
  readonly warnings: readonly string[];
  /** What the agent claims and the record does not support. */
  readonly unverified: readonly string[];
  readonly suggestions: readonly string[];
  readonly findings: readonly Json[];
  readonly iterations: number;
  readonly toolCalls: number;
  /** Size of the last request. */
  readonly contextTokens: number;
  readonly durationMs: number;
  readonly usage: Usage;
  /** Null where no price is known for a model that was used. */
  readonly costUsd: number | null;
  readonly depth: number;
  readonly bailoutReason?: BailoutReason;
  readonly error?: ErrorValue;
};
