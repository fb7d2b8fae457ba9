/** The one structure that every run hands back, whatever became of it. */
import type { ErrorValue } from "./errors.ts";
import type { RunId } from "./ids.ts";
import type { Json } from "./json.ts";
import type { Limits } from "./limits.ts";
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

/** Mode and id of a file's content, as git names them: `100644 <id>`. */
export type FileVersion = string;

/** A file whose change was not merged, and why. Its place in the workspace is as it was. */
export type MergeConflict = { readonly path: string; readonly reason: string };

/** What became of the changes of a run that worked in a worktree of its own. Paths are relative to the workspace they are for. */
export type MergeOutcome = {
  readonly created: readonly string[];
  readonly modified: readonly string[];
  readonly deleted: readonly string[];
  readonly conflicts: readonly MergeConflict[];
  /** The ref of the repository that keeps everything the run did; null where all of it was merged, or there was nothing. */
  readonly ref: string | null;
  /** Why nothing was merged though there was something. */
  readonly notMerged?: string;
  /** A folder that holds what neither the workspace nor the ref could take. */
  readonly left?: string;
};

export type Bill = {
  readonly usage: Usage;
  readonly costUsd: number | null;
  readonly iterations: number;
  readonly toolCalls: number;
};

export type RunResult = {
  readonly status: RunStatus;
  /** Whose result it is; absent in records from before it was told. */
  readonly agent?: string;
  /** A few lines. A parent reads the whole answer, and not these alone. */
  readonly summary: string;
  /** The whole of what the agent said last. */
  readonly details: string;
  /** What it handed in by its output schema, if it has one. */
  readonly output?: Json;
  readonly filesModified: readonly string[];
  readonly filesCreated: readonly string[];
  readonly testsRun: number;
  readonly testsPassed: number;
  /** How the last of several test runs came out; absent where tests were run once or not at all. */
  readonly latestTests?: { readonly run: number; readonly passed: number };
  readonly warnings: readonly string[];
  /** What the agent claims and the record does not support. */
  readonly unverified: readonly string[];
  readonly suggestions: readonly string[];
  readonly findings: readonly Json[];
  /** Who answered in its place, where it handed the conversation over. */
  readonly transferredTo?: { readonly runId: RunId; readonly agent: string };
  readonly iterations: number;
  readonly toolCalls: number;
  /** Size of the last request. */
  readonly contextTokens: number;
  readonly durationMs: number;
  /** Of the run itself. */
  readonly usage: Usage;
  /** Of the run itself; null where no price is known for a model that was used. */
  readonly costUsd: number | null;
  /** Of the run and everything below it; absent in records from before it was told. */
  readonly total?: Bill;
  /** What its limits, and those above it, left when it settled. */
  readonly remaining?: Limits;
  readonly depth: number;
  /** Of a run that worked in a worktree of its own. */
  readonly merge?: MergeOutcome;
  readonly bailoutReason?: BailoutReason;
  readonly error?: ErrorValue;
};
