/** Has code of the host answer what agents ask the user, beside its approver. Each question stands in the record all the same: an answer from elsewhere withdraws it. */
import type { Approver } from "@retinue/engine";
import type { CallId, RunIdentity } from "@retinue/protocol";
import { askInRecord } from "./ask-in-record.ts";

export type AskedUser = {
  readonly question: string;
  readonly options: readonly string[];
  /** Who asks, and by which call. */
  readonly run: RunIdentity;
  readonly callId: CallId;
};

/** Resolves to undefined when nobody answers. */
export type AskUser = (asked: AskedUser, signal: AbortSignal) => Promise<string | undefined>;

export type AskUserApproverOptions = {
  readonly askUser: AskUser | undefined;
  readonly approver: Approver | undefined;
  readonly unattended: "deny" | "park";
};

export const withAskUser = ({ askUser, approver, unattended }: AskUserApproverOptions): Approver | undefined => {
  if (!askUser) return approver;
  const otherwise = approver ?? (unattended === "park" ? askInRecord : denyAll);
  return async (request, signal) => {
    const { act, run } = request;
    if (act.question === undefined) return otherwise(request, signal);
    const { text: question, options } = act.question;
    const text = await askUser({ question, options, run, callId: act.callId }, signal);
    return text === undefined ? { allowed: false } : { allowed: true, text };
  };
};

const denyAll: Approver = async () => ({ allowed: false, reason: "Nobody is there to give an approval." });
