/** A question that waits for an answer, as a card shows it; and how it is answered. */
import type { ApprovalScope, ProposedAct } from "@retinue/protocol";
import { call } from "../server/call.ts";
import { dropApproval } from "../server/lists.ts";
import { targetOf } from "../tree/describe-call.ts";

export type Question = {
  readonly approvalId: `apr_${string}`;
  readonly hash: string;
  readonly act: ProposedAct;
  /** From the main agent down to the one that asks. */
  readonly path: readonly string[];
  readonly requestedAt: string;
  readonly expiresAt: string | null;
  readonly model?: string;
};

export type Answer = {
  readonly allowed: boolean;
  readonly scope: ApprovalScope;
  readonly reason?: string;
  /** What is said to a question of an agent. */
  readonly text?: string;
  /** The rule that is kept, in the words it was shown in. */
  readonly rule?: string;
};

export const answerQuestion = async (
  { approvalId, hash }: Question,
  { allowed, scope, reason, text, rule }: Answer,
): Promise<void> => {
  await call("answerApproval", {
    params: { approvalId },
    body: {
      allowed,
      hash,
      scope,
      ...(reason === undefined || reason === "" ? {} : { reason }),
      ...(text === undefined ? {} : { text }),
      ...(rule === undefined ? {} : { rule }),
    },
  });
  dropApproval(approvalId);
};

const EFFECTS: Readonly<Record<ProposedAct["effect"], string>> = {
  read: "read",
  write: "change",
  execute: "run",
  network: "reach the network with",
};

/** `wants to edit src/cart.ts`, in the verb that people use. */
export const describeWish = ({ tool, effect, input }: ProposedAct): string => {
  const target = targetOf(input);
  if (tool === "edit" || tool === "write") return `wants to ${tool} ${target}`;
  return target === ""
    ? `wants to ${EFFECTS[effect]} ${tool}`
    : `wants to ${effect === "execute" ? "run" : `${EFFECTS[effect]} ${tool}:`} ${target}`;
};

/** What an answer that holds for longer than once covers; it follows the likeness by which the engine holds acts to be alike. */
export const describeAlike = ({ effect, tool, protectedPaths, askedBy, hosts, input }: ProposedAct): string => {
  if (askedBy !== undefined && effect !== "execute") return `this same call of ${tool}`;
  if (effect === "read") return `whatever ${tool} reads`;
  if (effect === "write")
    return protectedPaths === undefined
      ? `every ${tool} that the agent may do`
      : `this same write of ${protectedPaths.join(", ")}`;
  if (effect === "network") return `this same call of ${tool}${hosts.length === 0 ? "" : ` to ${hosts.join(", ")}`}`;
  const isCommand = typeof input === "object" && input !== null && "command" in input;
  return isCommand ? "this very command, with its files as they are then" : `this same call of ${tool}`;
};

/** Reasons that were begun survive whatever happens to the card. */
export const draftReasons = new Map<string, string>();
