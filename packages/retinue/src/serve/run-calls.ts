/** Calls of the server that reach runs, whichever process drives them; answers to their questions; plans; figures. */
import { CALL_MODEL } from "@retinue/protocol";
import type { ApprovalId, Plan, ProposedAct, RunId, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { OpenApproval } from "@retinue/store";
import { readPlannedDiff } from "@retinue/tools";
import type { ApprovalRule } from "../approval-rules/approval-rule.ts";
import { describeRule, offerRule } from "../approval-rules/approval-rule.ts";
import { keepRule } from "../approval-rules/rule-file.ts";
import { readPlan } from "../plans.ts";
import type { BackendGround, SomeCalls } from "./backend-ground.ts";
import { given, toParts } from "./said.ts";
import type { Served } from "./served-workspaces.ts";
import { requireSession, toApprovalItem, toSessionItems } from "./session-items.ts";

type RunCall =
  | "cancelRun"
  | "sendMessage"
  | "withdrawMessage"
  | "listApprovals"
  | "getApproval"
  | "answerApproval"
  | "listPlans"
  | "makePlan"
  | "runPlan"
  | "getStats";

export const createRunCalls = (ground: BackendGround): SomeCalls<RunCall> => {
  const { store, workspaces, source, keeper } = ground;
  const servedOf = async (runId: RunId): Promise<Served & { readonly sessionId: SessionId }> => {
    const sessionId = await store.sessionOf(runId);
    if (sessionId === undefined) throw new RetinueError("run_unknown", `There is no run ${runId}.`);
    return { ...(await workspaces.at((await requireSession(store, sessionId)).workspace)), sessionId };
  };
  const findOpen = async (approvalId: ApprovalId): Promise<OpenApproval> => {
    const found = (await store.approvals()).find((one) => one.approvalId === approvalId);
    if (!found) throw new RetinueError("approval_unknown", `No question ${approvalId} waits for an answer.`);
    return found;
  };

  return {
    cancelRun: async ({ params: { runId }, body }) => {
      const { workspace, sessionId } = await servedOf(runId);
      await workspace.live.cancel(runId, { ...given(body), source });
      await keeper.wake(sessionId);
      return { ok: true };
    },
    sendMessage: async ({ params: { runId }, body }) => {
      const parts = toParts(body);
      if (parts.length === 0) throw new RetinueError("task_empty", "The message is empty.");
      const { workspace, sessionId } = await servedOf(runId);
      await workspace.live.send(runId, parts, { source });
      await keeper.wake(sessionId);
      return { ok: true };
    },
    withdrawMessage: async ({ params: { runId, messageId } }) => {
      const { workspace } = await servedOf(runId);
      await workspace.live.withdraw(runId, messageId, { source });
      return { ok: true };
    },
    listApprovals: async ({ query: { sessionId } }) => ({
      approvals: (await store.approvals(sessionId === undefined ? {} : { sessionId })).map(toApprovalItem),
    }),
    getApproval: async ({ params: { approvalId } }) => {
      const found = await findOpen(approvalId);
      const rule = offerRule(found.act, found.workspace);
      return {
        ...toApprovalItem(found),
        diff: (await readPlannedDiff(found.act, found.workspace)) ?? null,
        rule: rule ? describeRule(rule) : null,
      };
    },
    answerApproval: async ({ params: { approvalId }, body: { allowed, hash, scope = "once", reason, text, rule } }) => {
      const found = await findOpen(approvalId);
      if (found.hash !== hash)
        throw new RetinueError("approval_changed", `${approvalId} asks about another act than the one that was answered.`);
      if (!allowed && scope !== "once")
        throw new RetinueError("request_invalid", "A no is always to one act.", { hint: "Leave out the scope." });
      if (allowed && (found.act.question === undefined) !== (text === undefined))
        throw new RetinueError(
          "request_invalid",
          text === undefined ? "A question is answered in words." : "Only a question of an agent is answered in words.",
          { hint: text === undefined ? "Give `text`, or do not allow it." : "Leave out `text`." },
        );
      const served = await workspaces.at(found.workspace);
      const kept = rule === undefined ? undefined : requireRule(found, { allowed, rule });
      const why = allowed ? reason : toNo(found.act, reason);
      await served.workspace.live.answer(approvalId, given({ allowed, scope, reason: why, text }), { source });
      if (kept) await keepRule(served.loaded.home, found.workspace, kept);
      await keeper.wake(found.sessionId);
      const approve = workspaces.modeOf(found.sessionId);
      if (kept) await ground.ruleAnswers.look();
      return { ok: true, ...(approve === undefined ? {} : { approve }) };
    },
    listPlans: async ({ query: { workspaceId, limit = 50, after } }) => {
      const workspace = workspaceId === undefined ? {} : { workspace: workspaces.of(workspaceId).workspace.folder };
      const page = await store.readSide.listSessions(given({ limit, after, ...workspace }));
      const rows = page.items.filter(({ model }) => model === CALL_MODEL);
      return { items: await toSessionItems(store, rows), next: page.next };
    },
    makePlan: async ({ body: { workspaceId, goal, ...options } }) => {
      const served = workspaces.of(workspaceId);
      const { sessionId, runId } = workspaces.hold(
        served,
        await served.workspace.planForGoal(goal, { ...given(options), source }),
      );
      return { sessionId, runId };
    },
    runPlan: async ({ body: { workspaceId, plan, sessionId: from, ...options } }) => {
      const served = workspaces.of(workspaceId);
      const chosen = plan === undefined ? from && readPlan(await store.read(from)) : (plan as Plan);
      if (!chosen) throw new RetinueError("request_invalid", "There is neither a plan nor a session that has one.");
      const { sessionId, runId } = workspaces.hold(
        served,
        await served.workspace.executePlan(chosen, { ...given(options), source }),
      );
      return { sessionId, runId };
    },
    getStats: async ({ query: { by = "agent", ...query } }) => ({
      stats: await store.readSide.stats({ by, ...given(query) }),
    }),
  };
};

/** What the agent reads that gets no yes. */
const toNo = ({ question }: ProposedAct, reason: string | undefined): string => {
  if (question !== undefined) return reason ?? "they leave it to you.";
  return reason === undefined ? "The user said no." : `The user said no: ${reason}`;
};

/** The rule that was shown, or nothing is kept and nothing answered. */
const requireRule = (
  { act, workspace }: OpenApproval,
  { allowed, rule }: { readonly allowed: boolean; readonly rule: string },
): ApprovalRule => {
  const offered = offerRule(act, workspace);
  if (!allowed || !offered || describeRule(offered) !== rule)
    throw new RetinueError("request_invalid", "The rule is not the one that is offered for this act; nothing was answered.", {
      hint: "Read the question again, or allow the act once.",
    });
  return offered;
};
