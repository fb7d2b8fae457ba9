/**
 * Asks a human about an act, or for their words where the act is a question to them. The question is recorded, and so is its answer, by whoever heard the human: the loop waits until the answer is in
 * the run's state, or leaves the call open where waiting is parking. After a crash a question stands as it was asked.
 */
import type { ApprovalId, CallId, ProposedAct, WaitingFor } from "@retinue/protocol";
import { hashAct, isAlikeAllowed, isAskedAbout, isSameCall, withoutFiles } from "../policy/approvals.ts";
import type { Judgement } from "../policy/judge.ts";
import type { GivenApproval } from "../record/run-state.ts";
import type { Answered } from "./answered.ts";
import { toAnswer } from "./call.ts";
import type { LiveRun } from "./live-run.ts";
import type { AnyTool } from "./tool.ts";

export type Asked =
  /** `act` is bound to the files that it was asked about with; an answer for acts like it, given now or before, binds none. */
  | { readonly type: "allowed"; readonly act: ProposedAct; readonly text?: string }
  | { readonly type: "refused"; readonly answer: Answered }
  | { readonly type: "parked"; readonly on: readonly WaitingFor[] };

export type Question = {
  readonly callId: CallId;
  readonly tool: Pick<AnyTool, "name" | "effect">;
  readonly act: ProposedAct;
  /** Judges the call once more, since what it would do may have changed while a human was waited for. */
  readonly judgeAgain?: (asked: GivenApproval) => Promise<Judgement>;
};

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

export const askHuman = async (run: LiveRun, question: Question): Promise<Asked> => {
  const { callId, act, judgeAgain } = question;
  const { state, ports } = run;
  const earlier = state.givenApprovals.get(callId) ?? state.pendingApprovals.get(callId);
  // What a human was asked about is answered by what they say to that, and by nothing that they allowed meanwhile.
  if (!earlier && act.question === undefined && (isAlikeAllowed(state.allowed, act) || ports.isAllowed?.(act)))
    return { type: "allowed", act: withoutFiles(act) };
  if (!ports.ask || !ports.wait) return refused(nobodyThere(question));
  if (!earlier && state.finishRequested) return refused(FINISHING);
  if (!earlier) putQuestion(run, act, toApprovalId(run, callId));
  for (let times = timesAsked(earlier?.approvalId); ; times += 1) {
    const given = await waitForAnswer(run, question, { ask: ports.ask, wait: ports.wait });
    if (given.type !== "given") return given;
    const { answer } = given;
    const text = answer.text === undefined ? {} : { text: answer.text };
    if (answer.scope !== "once") return { type: "allowed", act: withoutFiles(act), ...text };
    const judgement = act.question === undefined ? await judgeAgain?.(answer) : undefined;
    if (judgement?.type === "deny") return refused(toAnswer("denied", judgement.error));
    const now = judgement?.type === "ask" ? judgement.act : act;
    if (isAskedAbout(answer, now)) return { type: "allowed", act: now, ...text };
    if (!isSameCall(answer, now)) return refused(denialOf(question, "it would now do something else than was asked about."));
    if (times >= MOST_TIMES_ASKED)
      return refused(denialOf(question, "what it would run kept changing while it was asked about."));
    putQuestion(run, now, toNextId(answer.approvalId));
  }
};

const putQuestion = (run: LiveRun, act: ProposedAct, approvalId: ApprovalId): void =>
  run.note({ type: "approval.requested", approvalId, act, hash: hashAct(act), ...expiry(run) });

type Given = { readonly type: "given"; readonly answer: GivenApproval };

/** Waits until the question that stands is answered. Gives the answer where it is a yes. */
const waitForAnswer = async (
  run: LiveRun,
  question: Question,
  { ask, wait }: Required<Pick<LiveRun["ports"], "ask" | "wait">>,
): Promise<Given | Exclude<Asked, { type: "allowed" }>> => {
  const { state, cancelled } = run;
  const { callId } = question;
  await run.flush();
  const resume = pauseClocks(run);
  try {
    const open = state.pendingApprovals.get(callId);
    if (open) ask({ approvalId: open.approvalId, run: state.identity, act: open.act, hash: open.hash });
    const on: readonly WaitingFor[] = open ? [{ type: "approval", approvalId: open.approvalId }] : [];
    for (;;) {
      if (cancelled.aborted) return refused(CANCELLED);
      const answer = state.givenApprovals.get(callId);
      if (answer?.isLate === true) return refused(FINISHING);
      if (answer?.allowed === true) return { type: "given", answer };
      if (answer) return refused(denialOf(question, answer.reason));
      if (state.finishRequested) return refused(FINISHING);
      if ((await wait(on, cancelled)) === "park") return { type: "parked", on };
    }
  } finally {
    resume();
  }
};

const nobodyThere = ({ tool, act }: Question): Answered =>
  act.question !== undefined
    ? unanswered("Nobody is there to answer.")
    : toAnswer("denied", {
        code: "approval_unavailable",
        message: `"${tool.name}" would ${tool.effect} and needs an approval, and nobody is there to give it.${
          act.unsandboxed === undefined ? "" : ` ${act.unsandboxed}`
        }`,
      });

const denialOf = ({ tool, act }: Question, reason: string | undefined): Answered =>
  act.question !== undefined
    ? unanswered(`The user did not answer${reason === undefined ? "." : `: ${reason}`}`)
    : toAnswer("denied", {
        code: "act_denied",
        message: `"${tool.name}" was denied${reason === undefined ? "." : `: ${reason}`}`,
      });

const refused = (answer: Answered): Extract<Asked, { type: "refused" }> => ({ type: "refused", answer });

const toApprovalId = ({ state }: LiveRun, callId: CallId): ApprovalId => `apr_${state.identity.runId.slice(4)}_${callId}`;

/** So often a question is put about one call. */
const MOST_TIMES_ASKED = 5;

/** Of a question that is put again: `apr_1_c`, `apr_1_c.2`, `apr_1_c.3`. */
const toNextId = (approvalId: ApprovalId): ApprovalId =>
  `${approvalId.replace(AGAIN, "") as ApprovalId}.${timesAsked(approvalId) + 1}`;

const AGAIN = /\.(\d+)$/;
const timesAsked = (approvalId = ""): number => Number(AGAIN.exec(approvalId)?.[1] ?? 1);

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
