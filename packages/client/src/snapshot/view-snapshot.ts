/**
 * A view in pieces, as plain data. A snapshot holds the heads of all runs and everything that can still change at its event; what cannot change any
 * more is loaded later, piece by piece, whenever that is. The schemas of the routes say the same.
 */
import type { ApprovalId, Json, RunId } from "@retinue/protocol";
import type { CallView, PlanStepView, PlanView, RunView, SessionView, StepView } from "../session-view.ts";

export type RunHead = Pick<
  RunView,
  | "runId"
  | "parentRunId"
  | "parentCallId"
  | "depth"
  | "agent"
  | "state"
  | "model"
  | "requestedAt"
  | "startedAt"
  | "endedAt"
  | "updatedAt"
  | "drives"
  | "own"
  | "inclusive"
  | "activeMs"
  | "contextTokens"
  | "limits"
  | "treeLimits"
  | "transferredTo"
> & {
  /** The first line of the task. */
  readonly title: string;
  readonly stepCount: number;
  readonly children: readonly RunId[];
};

export type CallItem = Omit<CallView, "children" | "input"> & { readonly input?: Json };

/** What is streamed is no part of it. */
export type StepItem = Omit<StepView, "calls" | "toolInput" | "retrying"> & { readonly calls: readonly CallItem[] };

export type PlanItem = Omit<PlanView, "steps"> & { readonly steps: readonly PlanStepView[] };

export type RunRest = Pick<
  RunView,
  | "isFinishing"
  | "requested"
  | "limitsReached"
  | "approvals"
  | "messages"
  | "cancelRequests"
  | "parkedOn"
  | "todo"
  | "worktree"
  | "errors"
  | "result"
> & {
  /** Calls that belong to no step. */
  readonly asides: readonly CallItem[];
  readonly plans: readonly PlanItem[];
};

export type PlacedStep = { readonly at: number; readonly step: StepItem };

export type StepsPage = { readonly seq: number; readonly runId: RunId; readonly steps: readonly PlacedStep[] };

export type RunPart = StepsPage & { readonly rest: RunRest; readonly stepCount: number };

export type ViewSnapshot = Pick<SessionView, "sessionId" | "updatedAt" | "spent"> & {
  readonly seq: number;
  readonly roots: readonly RunId[];
  readonly runs: readonly RunHead[];
  readonly parts: readonly RunPart[];
  readonly openApprovals: readonly ApprovalId[];
  /** The latest run at depth 0 alone, while the rest is read. */
  readonly isFirstGlance?: boolean;
};
