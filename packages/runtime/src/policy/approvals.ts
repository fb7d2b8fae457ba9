/** What a human's answer covers: the act as it was shown, or acts like it in the run or the session. */
import { hash } from "node:crypto";
import type { ProposedAct } from "@retinue/protocol";

/** Of the act as it will run, without the call's id: the same act has the same hash whoever proposes it. Why there is no sandbox does not count. */
export const hashAct = ({ tool, effect, input, paths, hosts, scripts, unsandboxed, tree }: ProposedAct): string => {
  const isUnsandboxed = unsandboxed === undefined ? undefined : true;
  return hash("sha256", JSON.stringify({ tool, effect, input, paths, hosts, scripts, unsandboxed: isUnsandboxed, tree }), "hex");
};

/** Whether the question with this hash was about the act: a yes to it without a sandbox is one to it in a sandbox, too. */
export const isAskedAbout = (asked: string, act: ProposedAct): boolean => formsOf(act).some((form) => hashAct(form) === asked);

/** Whether acts like this one were allowed. */
export const isAlikeAllowed = (allowed: ReadonlySet<string>, act: ProposedAct): boolean =>
  allowed.size > 0 && formsOf(act).some((form) => allowed.has(likenessOf(form)));

/** The act, and what of it is wider. */
const formsOf = (act: ProposedAct): readonly ProposedAct[] =>
  act.unsandboxed === undefined ? [act, { ...act, unsandboxed: "" }] : [act];

/**
 * Acts with the same key are alike. Commands and requests are alike only if they are the same to the letter: who allowed one command has
 * allowed no other. The files around them do not count: whoever allows a command for longer lets it run what is there by then. Writes by one
 * tool are alike, since the grant says where they may go; those to protected paths only if they are the same, and so is all that a
 * rule wants a human's word for.
 */
export const likenessOf = (act: ProposedAct): string =>
  // Reads are asked about for what they are run without, which is the same for all of them.
  act.effect === "read" && act.askedBy === undefined
    ? `read ${act.tool}`
    : act.effect === "write" && act.protectedPaths === undefined && act.askedBy === undefined
      ? `write ${act.tool}`
      : `${act.effect} ${act.tool} ${hashAct(withoutTree(act))}`;

/** The act as it is allowed for longer than once. */
export const withoutTree = (act: ProposedAct): ProposedAct => {
  const { tree: _, ...rest } = act;
  return rest;
};
