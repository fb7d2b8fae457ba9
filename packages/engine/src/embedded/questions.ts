/** How a run's questions reach a human: by the host's approver, or by anybody who reads the record. The answer is always an input in the log. */
import type { ApprovalId, RunIdentity } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { ApprovalAnswer, ApprovalRequest, Ports } from "@retinue/runtime";
import type { ActiveRun } from "./active-run.ts";
import type { Ground } from "./ground.ts";
import { leaveTree } from "./ground.ts";
import { forgetExpiries } from "./expiries.ts";
import { appendInput } from "./inputs.ts";

const EXPIRED = "The question expired unanswered.";

/** Undefined where nobody can be asked. */
export const createAskPort = (ground: Ground, run: ActiveRun): Ports["ask"] => {
  if (!ground.canAsk) return undefined;
  // What is still open is asked again; what was answered meanwhile is not.
  forgetExpiries(ground, run.state.identity.runId);
  return (request) => {
    prompt(ground, run, { ...request, agents: agentsAbove(run) });
    denyWhenExpired(ground, run, request.approvalId);
  };
};

/** Of a run that is driven without those above it, these are not known. */
const agentsAbove = (run: ActiveRun): readonly string[] => {
  const agents: string[] = [];
  for (let at: ActiveRun | null = run; at; at = at.parent) agents.unshift(at.state.identity.agent);
  return agents;
};

const prompt = (ground: Ground, run: ActiveRun, request: ApprovalRequest): void => {
  const { approver } = ground.options;
  if (!approver) return;
  const { approvalId } = request;
  const answered = new AbortController();
  (run.prompts ??= new Map()).set(approvalId, answered);
  const signal = AbortSignal.any([answered.signal, run.stop.signal]);
  const answer = async (): Promise<void> => {
    const given = await approver(request, signal).catch((thrown: unknown): ApprovalAnswer => ({
      allowed: false,
      reason: `Nobody could be asked: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    }));
    // Whoever answered elsewhere, or stopped the run, was first.
    if (signal.aborted) return;
    const { allowed, scope = "once", reason, text } = given;
    await appendInput(ground, run.state.identity, {
      type: "approval.answered",
      approvalId,
      allowed,
      scope,
      ...(reason === undefined ? {} : { reason }),
      ...(text === undefined ? {} : { text }),
    });
  };
  answer().catch((thrown: unknown) => {
    if (!isTooLate(thrown)) leaveTree(ground, run.tree, thrown);
  });
};

/** Somebody else answered at the same time, or the run has ended: the first word stands. Anything else means that the record cannot be written. */
const isTooLate = (thrown: unknown): boolean =>
  thrown instanceof RetinueError && ["approval_answered", "approval_expired", "run_settled"].includes(thrown.code);

const denyWhenExpired = (ground: Ground, run: ActiveRun, approvalId: ApprovalId): void => {
  const asked = [...run.state.pendingApprovals.values()].find((one) => one.approvalId === approvalId);
  if (asked?.expiresAt === undefined) return;
  const { clock } = ground.ports;
  // A run that parks leaves memory: what waits for the end of its question must not hold it.
  const { identity } = run.state;
  const leftMs = Math.max(0, Date.parse(asked.expiresAt) - Date.parse(clock.date()));
  const { runId } = identity;
  forgetExpiries(ground, runId, approvalId);
  const takeBack = clock.after(leftMs, () => {
    forgetExpiries(ground, runId, approvalId);
    // Answered in the same moment: the first answer stands.
    deny(ground, identity, approvalId).catch(() => undefined);
  });
  const ofRun = ground.expiries.get(runId) ?? new Map<ApprovalId, () => void>();
  ground.expiries.set(runId, ofRun.set(approvalId, takeBack));
  run.stop.signal.addEventListener("abort", () => forgetExpiries(ground, runId), { once: true });
};

const deny = (ground: Ground, identity: RunIdentity, approvalId: ApprovalId): Promise<void> =>
  appendInput(ground, identity, {
    type: "approval.answered",
    approvalId,
    allowed: false,
    scope: "once",
    reason: EXPIRED,
    source: { via: "rule" },
  });
