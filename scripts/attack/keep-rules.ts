/** The user has kept rules for a few commands, as they are offered; what is asked about later is compared with them as they are read again. */
import type { ProposedAct } from "@retinue/protocol";
import { describeRule, isCovered, offerRule } from "../../packages/retinue/src/approval-rules/approval-rule.ts";
import { keepRule, readRules } from "../../packages/retinue/src/approval-rules/rule-file.ts";
import { KEPT_COMMANDS } from "./grammar/kept-rules.ts";
import type { World } from "./world.ts";

/** Given back is what says which rule would answer in the user's place. */
export const keepRules = async ({ state, workspace }: World): Promise<(act: ProposedAct) => string | undefined> => {
  for (const command of KEPT_COMMANDS) {
    const act = { callId: "call_0", tool: "shell", effect: "execute", input: { command }, paths: [], hosts: [] } as const;
    const rule = offerRule(act, workspace);
    if (!rule) throw new Error(`No rule is offered for ${command}.`);
    await keepRule(state, workspace, rule);
  }
  const rules = await readRules(state, workspace);
  return (act) => {
    const rule = rules.find((one) => isCovered(one, act, workspace));
    return rule && describeRule(rule);
  };
};
