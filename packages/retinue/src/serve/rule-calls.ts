/** Calls of the server about the rules that a person keeps: which there are for a folder, and taking one away. */
import { RetinueError } from "@retinue/protocol";
import { createHash } from "node:crypto";
import type { ApprovalRule } from "../approval-rules/approval-rule.ts";
import { describeRule } from "../approval-rules/approval-rule.ts";
import { readRules, removeRule, ruleFileOf } from "../approval-rules/rule-file.ts";
import type { BackendGround, SomeCalls } from "./backend-ground.ts";

type RuleCall = "listRules" | "deleteRule";

const toRuleId = (rule: ApprovalRule): string => createHash("sha256").update(describeRule(rule)).digest("hex").slice(0, 16);

export const createRuleCalls = ({ workspaces }: BackendGround): SomeCalls<RuleCall> => ({
  listRules: async ({ params: { workspaceId } }) => {
    const { workspace, loaded } = workspaces.of(workspaceId);
    const rules = await readRules(loaded.home, workspace.folder);
    return {
      rules: rules.map((rule) => ({ ruleId: toRuleId(rule), text: describeRule(rule) })),
      file: ruleFileOf(loaded.home),
    };
  },
  deleteRule: async ({ params: { workspaceId, ruleId } }) => {
    const { workspace, loaded } = workspaces.of(workspaceId);
    const rule = (await readRules(loaded.home, workspace.folder)).find((one) => toRuleId(one) === ruleId);
    if (!rule || !(await removeRule(loaded.home, workspace.folder, rule)))
      throw new RetinueError("request_invalid", `No rule ${ruleId} is kept for this folder.`, {
        hint: "It was taken away already.",
      });
    return { ok: true };
  },
});
