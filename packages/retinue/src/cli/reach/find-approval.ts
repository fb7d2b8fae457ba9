/** From what a user wrote to a question that waits for an answer: its id, or the beginning of it with or without `apr_`. */
import type { ApprovalId, ProposedAct, RunId, RunIdentity } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { toPrintable } from "../../terminal/printable.ts";
import type { CommandRecord } from "../record/open-for-command.ts";

export type FoundApproval = {
  readonly approvalId: ApprovalId;
  readonly identity: RunIdentity;
  /** Absent where the question is closed. */ readonly act?: ProposedAct;
};

const PREFIX = "apr_";
/** As many as are named when a beginning fits several. */
const MOST_NAMED = 5;

/** Throws `approval_unknown`, or `usage` where the beginning fits more than one. A whole id is found also where it was answered: the log says so. */
export const findApproval = async (name: string, { store }: CommandRecord): Promise<FoundApproval> => {
  const open = await store.approvals();
  const exact = open.find(({ approvalId }) => approvalId === name);
  if (exact) return { approvalId: exact.approvalId, identity: exact, act: exact.act };
  const beginning = name.startsWith(PREFIX) ? name : PREFIX + name;
  const found = beginning === PREFIX ? [] : open.filter(({ approvalId }) => approvalId.startsWith(beginning));
  const [only, ...others] = found;
  if (others.length > 0) {
    const named = found.slice(0, MOST_NAMED).map(({ approvalId }) => toPrintable(approvalId, "line"));
    const more = found.length > named.length ? ` and ${found.length - named.length} more` : "";
    throw new RetinueError("usage", `${found.length} questions begin with ${name}: ${named.join(", ")}${more}.`, {
      hint: "Give more of the id.",
    });
  }
  if (only) return { approvalId: only.approvalId, identity: only, act: only.act };
  const identity = await askerOf(name, store);
  if (identity) return { approvalId: name as ApprovalId, identity };
  throw new RetinueError("approval_unknown", `There is no question ${name === "" ? "without an id" : name}.`);
};

/** The run that asked: its id is the beginning of the question's. */
const askerOf = async (name: string, store: CommandRecord["store"]): Promise<RunIdentity | undefined> => {
  const [, id] = /^apr_([^_]+)_/.exec(name) ?? [];
  const runId: RunId = `run_${id}`;
  const sessionId = id === undefined ? undefined : await store.sessionOf(runId);
  return sessionId && (await store.readRuns(sessionId, [runId]))[0];
};
