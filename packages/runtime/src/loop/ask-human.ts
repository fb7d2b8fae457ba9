/**
 * Asks a human about an act, or for their words where the act is a question to them. The question is recorded, and so is its answer, by whoever heard the human: the loop waits until the answer is in
 * the run's state, or leaves the call open where waiting is parking. After a crash a question stands as it was asked.
 */
import type { ApprovalId, CallId, ProposedAct, WaitingFor } from "@retinue/protocol";
import { hashAct, isAlikeAllowed, isAskedAbout } from "../policy/approvals.ts";
import type { Answered } from "./answered.ts";
import { toAnswer } from "./call.ts";
import type { LiveRun } from "./live-run.ts";
import type { AnyTool } from "./tool.ts";

export type Asked =
  /** `isAlike`: for acts like it an answer was given before, which does not hold it to the files around it. */
  | { readonly type: "allowed"; readonly isAlike?: true; readonly text?: string }
  | { readonly type: "refused"; readonly answer: Answered }
  | { readonly type: "parked"; readonly on: readonly WaitingFor[] };

export type Question = { readonly callId: CallId; readonly tool: Pick<AnyTool, "name" | "effect">; readonly act: ProposedAct };

const ALLOWED: Asked = { type: "allowed" };

const unanswered = (message: string): Answered =>
  toAnswer("error", {
    code: "tool_failed",
    message,
    hint: "Decide yourself where you can and say what you assumed; else hand in what you have and name the open question.",
  });

export const CANCELLED: Answered = toAnswer("cancelled", { code: "cancelled", message: "The run was cancelled." });
const FINISHING: Answered = toAnswer("cancelled", {
  code: "cancelled",
  message: "Not run: somebody asked this run to finish before the act was allowed.",
});

export const askHuman = async (run: LiveRun, { callId, tool, act }: Question): Promise<Asked> => {
  const { state, ports, cancelled } = run;
  const isQuestion = act.question !== undefined;
  const earlier = state.givenApprovals.get(callId) ?? state.pendingApprovals.get(callId);
  // What a human was asked about is answered by what they say to that, and by nothing that they allowed meanwhile.
  if (!earlier && !isQuestion && (isAlikeAllowed(state.allowed, act) || ports.isAllowed?.(act)))
    return { ...ALLOWED, isAlike: true };
  if (!ports.ask || !ports.wait)
    return refused(
      isQuestion
        ? unanswered("Nobody is there to answer.")
        : toAnswer("denied", {
            code: "approval_unavailable",
            message: `"${tool.name}" would ${tool.effect} and needs an approval, and nobody is there to give it.${
              act.unsandboxed === undefined ? "" : ` ${act.unsandboxed}`
            }`,
          }),
    );
  const hash = hashAct(act);
  const denied = (reason: string | undefined): Asked =>
    refused(
      isQuestion
        ? unanswered(`The user did not answer${reason === undefined ? "." : `: ${reason}`}`)
        : toAnswer("denied", {
            code: "act_denied",
            message: `"${tool.name}" was denied${reason === undefined ? "." : `: ${reason}`}`,
          }),
    );
  if (!earlier && state.finishRequested) return refused(FINISHING);
  if (earlier && !isAskedAbout(earlier.hash, act)) return denied("it would now do something else than was asked about.");
  const approvalId = toApprovalId(run, callId);
  if (!earlier) run.note({ type: "approval.requested", approvalId, act, hash, ...expiry(run) });
  await run.flush();
  const resume = pauseClocks(run);
  try {
    if (!state.givenApprovals.has(callId)) ports.ask({ approvalId, run: state.identity, act, hash });
    const on: readonly WaitingFor[] = [{ type: "approval", approvalId }];
    for (;;) {
      if (cancelled.aborted) return refused(CANCELLED);
      const given = state.givenApprovals.get(callId);
      if (given?.isLate === true) return refused(FINISHING);
      if (given?.allowed === true) return given.text === undefined ? ALLOWED : { ...ALLOWED, text: given.text };
      if (given) return denied(given.reason);
      if (state.finishRequested) return refused(FINISHING);
      if ((await ports.wait(on, cancelled)) === "park") return { type: "parked", on };
    }
  } finally {
    resume();
  }
};

const refused = (answer: Answered): Asked => ({ type: "refused", answer });

const toApprovalId = ({ state }: LiveRun, callId: CallId): ApprovalId => `apr_${state.identity.runId.slice(4)}_${callId}`;

const expiry = ({ ports: { approvalExpiresMs, clock } }: LiveRun): { readonly expiresAt?: string } =>
  approvalExpiresMs === undefined ? {} : { expiresAt: new Date(Date.parse(clock.date()) + approvalExpiresMs).toISOString() };

/** While a human is waited for no clock runs: the run's own, nor those of the runs above it. */
const pauseClocks = ({ watch, ports }: LiveRun): (() => void) => {
  watch.pause();
  const resumeAbove = ports.pauseAbove?.();
  return () => {
    watch.resume();
    resumeAbove?.();
  };
};
