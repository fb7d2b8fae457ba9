/** A session with questions of every kind: answered, denied by the end of its call, left by the end of its run, and open. */
import type { EventLog } from "../contract.ts";
import { toQuestion } from "./input-contract.ts";
import { createRunDrafts } from "./session-drafts.ts";

/** Leaves `apr_open` of `run_q` in `ses_q` open; other than the lease holder's appends, everything is said from elsewhere. */
export const recordQuestions = async (log: EventLog): Promise<void> => {
  const main = createRunDrafts({ sessionId: "ses_q", runId: "run_q" });
  const child = createRunDrafts({ sessionId: "ses_q", runId: "run_child", parentRunId: "run_q", depth: 1, agent: "reviewer" });
  await log.append([main.requested()]);
  const lease = await log.lease("run_q");
  await log.append([main.started(lease.epoch), main.asked(1), main.answered(1, "x"), main.toolStarted("c1")], lease);
  await log.append([child.requested("review", { parentCallId: "c1" })], lease);
  const childLease = await log.lease("run_child");
  await log.append([child.started(childLease.epoch), toQuestion(child, "left")], childLease);
  await log.append([toQuestion(main, "allowed"), toQuestion(main, "denied"), toQuestion(main, "late")], lease);
  await log.append([main.draft({ type: "message.received", from: "human", content: [{ type: "text", text: "be quick" }] })]);
  await log.append([
    main.draft({ type: "approval.answered", approvalId: "apr_denied", allowed: false, scope: "once", reason: "not today" }),
  ]);
  await log.append([main.draft({ type: "approval.answered", approvalId: "apr_allowed", allowed: true, scope: "run" })]);
  await log.append([main.toolStarted("call_allowed"), main.toolSettled("call_allowed", "done")], lease);
  await log.append([main.toolSettled("call_late", "nobody answered", { outcome: "denied" })], lease);
  await log.append([child.draft({ type: "cancel.requested" })]);
  await log.append([child.settled({ status: "cancelled" })], childLease);
  await log.append([toQuestion(main, "open", { expiresAt: "2099-01-01T00:00:00.000Z" })], lease);
};
