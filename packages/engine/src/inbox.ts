/**
 * The approvals of one session tree, from whatever depth they come. A question is answered once, by whoever answers first; what is answered
 * late, twice or for a run that is gone has no effect.
 */
import type { ApprovalId, ProposedAct, RecordedEvent } from "@retinue/protocol";
import type { ApprovalAnswer, ApprovalRequest, Clock } from "@retinue/runtime";
import { likenessOf } from "@retinue/runtime";

export type Approver = (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalAnswer>;

export type InboxOptions = {
  /** Asked at once; answers by `answer` race with it. */
  readonly approver?: Approver | undefined;
  readonly clock: Clock;
  /** A question that stays open for longer is denied. */
  readonly expiresMs?: number | undefined;
};

export type Inbox = {
  readonly ask: Approver;
  readonly pending: () => readonly ApprovalRequest[];
  /** False where no such question is open. */
  readonly answer: (approvalId: ApprovalId, answer: ApprovalAnswer) => boolean;
  /** Whether acts like this one were allowed for the session. */
  readonly isAllowed: (act: ProposedAct) => boolean;
  /** Takes over what a record says was allowed for the session. */
  readonly restore: (events: readonly RecordedEvent[]) => void;
};

type Open = { readonly request: ApprovalRequest; readonly resolve: (answer: ApprovalAnswer) => void };

export const createInbox = ({ approver, clock, expiresMs }: InboxOptions): Inbox => {
  const open = new Map<ApprovalId, Open>();
  const allowed = new Set<string>();

  const settle = (approvalId: ApprovalId, answer: ApprovalAnswer): boolean => {
    const question = open.get(approvalId);
    if (!question) return false;
    open.delete(approvalId);
    if (answer.allowed && answer.scope === "session") allowed.add(likenessOf(question.request.act));
    question.resolve(answer);
    return true;
  };

  return {
    ask: async (request, signal) => {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<ApprovalAnswer>();
      const { approvalId } = request;
      open.set(approvalId, { request, resolve });
      const withdraw = (): void => {
        open.delete(approvalId);
        reject(signal.reason);
      };
      signal.addEventListener("abort", withdraw, { once: true });
      const takeBack =
        expiresMs === undefined
          ? null
          : clock.after(expiresMs, () => settle(approvalId, { allowed: false, reason: "The question expired unanswered." }));
      if (approver)
        approver(request, signal).then(
          (answer) => settle(approvalId, answer),
          (thrown: unknown) =>
            settle(approvalId, {
              allowed: false,
              reason: `Nobody could be asked: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
            }),
        );
      try {
        return await promise;
      } finally {
        takeBack?.();
        signal.removeEventListener("abort", withdraw);
      }
    },
    pending: () => [...open.values()].map(({ request }) => request),
    answer: settle,
    isAllowed: (act) => allowed.has(likenessOf(act)),
    restore: (events) => {
      const acts = new Map<ApprovalId, ProposedAct>();
      for (const event of events) {
        if (event.type === "approval.requested") acts.set(event.approvalId, event.act);
        const act =
          event.type === "approval.answered" && event.allowed && event.scope === "session"
            ? acts.get(event.approvalId)
            : undefined;
        if (act) allowed.add(likenessOf(act));
      }
    },
  };
};
