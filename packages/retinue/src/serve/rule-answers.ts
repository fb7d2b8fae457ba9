/**
 * Answers questions in the place of the person whose rules cover them, in folders that this server works in, whichever process asks. A rule that was just
 * kept settles the questions that wait; what no rule covers is left to a person.
 */
import type { SessionId } from "@retinue/protocol";
import type { OpenApproval } from "@retinue/store";
import { isCovered } from "../approval-rules/approval-rule.ts";
import { readRules } from "../approval-rules/rule-file.ts";
import type { RetinueStore } from "../open-record.ts";
import type { Served, ServedWorkspaces } from "./served-workspaces.ts";

export type RuleAnswers = {
  /** Looks at what waits now. */
  readonly look: () => Promise<void>;
  readonly close: () => void;
};

export type RuleAnswersOptions = {
  readonly store: Pick<RetinueStore, "approvals" | "watchAny">;
  readonly workspaces: Pick<ServedWorkspaces, "list">;
  /** Drives on a run that nobody drives. */
  readonly goOn: (sessionId: SessionId) => Promise<void>;
};

/** What is written within so long is looked at together. */
const GATHER_MS = 50;
const ALL = { has: () => true, keys: () => [] };

export const createRuleAnswers = ({ store, workspaces, goOn }: RuleAnswersOptions): RuleAnswers => {
  let planned: NodeJS.Timeout | undefined;

  const answer = async (served: Served, asked: OpenApproval): Promise<void> => {
    try {
      const given = { allowed: true, scope: "once" } as const;
      await served.workspace.live.answer(asked.approvalId, given, { source: { via: "rule" } });
      await goOn(asked.sessionId);
    } catch {
      // Somebody else was faster, or it can no longer be answered.
    }
  };

  const look = async (): Promise<void> => {
    for (const asked of await store.approvals()) {
      const served = workspaces.list().find(({ workspace }) => workspace.folder === asked.workspace);
      if (!served) continue;
      const rules = await readRules(served.loaded.home, asked.workspace);
      if (rules.some((rule) => isCovered(rule, asked.act, asked.workspace))) await answer(served, asked);
    }
  };

  const unwatch = store.watchAny(ALL, () => {
    planned ??= setTimeout(() => {
      planned = undefined;
      // What cannot be read now is looked at with the next thing that is written.
      look().catch(() => undefined);
    }, GATHER_MS).unref();
  });

  return {
    look,
    close: () => {
      unwatch();
      clearTimeout(planned);
    },
  };
};
