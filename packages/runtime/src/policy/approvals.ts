/** What a human's answer covers: the act as it was shown, or acts like it in the run or the session. */
import { hash } from "node:crypto";
import type { ProposedAct } from "@retinue/protocol";

/** Of the act as it will run, without the call's id: the same act has the same hash whoever proposes it. Why there is no sandbox does not count. */
export const hashAct = ({ tool, effect, input, paths, hosts, scripts, unsandboxed, tree }: ProposedAct): string => {
  const isUnsandboxed = unsandboxed === undefined ? undefined : true;
  return hash("sha256", JSON.stringify({ tool, effect, input, paths, hosts, scripts, unsandboxed: isUnsandboxed, tree }), "hex");
};

/** What a human was asked about. An older version may have recorded another hash, or none; secrets stand in the hash alone. */
export type AskedAct = { readonly act: ProposedAct; readonly hash: string };

/**
 * Whether the question was about the act: a yes to it without a sandbox is one to it in a sandbox, too, and a yes that was bound to all files of
 * the workspace is one to an act that is bound to some of them.
 */
export const isAskedAbout = ({ act: asked, hash: recorded }: AskedAct, act: ProposedAct): boolean => {
  const hashes = [recorded, hashAct(asked)];
  const { tree } = asked;
  const forms = act.tree === undefined && tree !== undefined ? [act, { ...act, tree }] : [act];
  return forms.flatMap(formsOf).some((form) => hashes.includes(hashAct(form)));
};

/** Whether the act is the one that was asked about but for what it would find in the world: files, links, hosts, the sandbox. */
export const isSameCall = (asked: AskedAct, act: ProposedAct): boolean => {
  const { paths, hosts, scripts, unsandboxed, tree } = asked.act;
  const rest = { ...withoutFiles(act), paths, hosts, ...(unsandboxed === undefined ? {} : { unsandboxed }) };
  const form = { ...rest, ...(scripts === undefined ? {} : { scripts }), ...(tree === undefined ? {} : { tree }) };
  const { unsandboxed: _, ...sandboxed } = form;
  const forms = unsandboxed === undefined ? [sandboxed] : [form];
  return forms.some((one) => [asked.hash, hashAct(asked.act)].includes(hashAct(one)));
};

const digests = (scripts: ProposedAct["scripts"] = []) => new Map(scripts.map(({ path, digest }) => [path, digest]));

const others = (one: readonly string[], other: readonly string[]) => other.filter((name) => !one.includes(name));

/** What differs in the act from when it was asked about, but for files of the tree, which only the disk can name. */
export const differencesOf = (asked: ProposedAct, act: ProposedAct): readonly string[] => {
  const [before, now] = [digests(asked.scripts), digests(act.scripts)];
  const scripts = [...new Set([...before.keys(), ...now.keys()])].filter((file) => before.get(file) !== now.get(file));
  return [
    ...scripts,
    ...others(asked.paths, act.paths),
    ...others(asked.hosts, act.hosts),
    ...(asked.unsandboxed === undefined && act.unsandboxed !== undefined ? ["the sandbox"] : []),
  ];
};

/** Whether acts like this one were allowed. */
export const isAlikeAllowed = (allowed: ReadonlySet<string>, act: ProposedAct): boolean =>
  allowed.size > 0 && formsOf(act).some((form) => allowed.has(likenessOf(form)));

/** The act, and what of it is wider. */
const formsOf = (act: ProposedAct): readonly ProposedAct[] =>
  act.unsandboxed === undefined ? [act, { ...act, unsandboxed: "" }] : [act];

/**
 * Acts with the same key are alike. Commands and requests are alike only if they are the same to the letter: who allowed one command has
 * allowed no other. The files that they run do not count: whoever allows a command for longer lets it run what is there by then. Writes by one
 * tool are alike, since the grant says where they may go; those to protected paths only if they are the same, and so is all that a
 * rule wants a human's word for.
 */
export const likenessOf = (act: ProposedAct): string =>
  // Reads are asked about for what they are run without, which is the same for all of them.
  act.effect === "read" && act.askedBy === undefined
    ? `read ${act.tool}`
    : act.effect === "write" && act.protectedPaths === undefined && act.askedBy === undefined
      ? `write ${act.tool}`
      : `${act.effect} ${act.tool} ${hashAct(withoutFiles(act))}`;

/** The act as it is allowed for longer than once. */
export const withoutFiles = (act: ProposedAct): ProposedAct => {
  const { tree: _, scripts: __, ...rest } = act;
  return rest;
};
