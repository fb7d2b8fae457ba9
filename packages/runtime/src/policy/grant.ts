/**
 * `grant(child) = grant(parent) ∩ definition ∩ request`: the one function that makes a child's rights, and the only way to make a run.
 * Whatever is asked for, the outcome holds nothing that the parent's grant does not hold.
 */
import path from "node:path";
import type { Grant, Rule, RuleSet } from "@retinue/protocol";
import { APPROVE_MODES } from "@retinue/protocol";
import { matchesAny } from "@retinue/protocol/names";
import { rebaseWrites } from "./rebase-writes.ts";
import { namesTool } from "./tool-spellings.ts";

/** What an agent's definition says of its rights. */
export type DefinedRights = {
  /** Whose they are, for people. */
  readonly name?: string;
  readonly tools: readonly string[];
  /** Denied to the agent and to everything below it. */
  readonly deniedTools: readonly string[];
  /** Not offered to the agent itself. It holds them all the same, and may hand them on. */
  readonly hiddenTools?: readonly string[] | undefined;
  /** Absent: as the parent. */
  readonly writes?: readonly string[] | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly rules?: readonly Rule[] | undefined;
  /** `own`: what is below gets no more than this agent's own tools. `session`: it may pass on what it was passed. */
  readonly grant: "own" | "session";
};

/** What whoever starts the run asks for; it can only take away. */
export type RequestedRights = {
  readonly tools?: readonly string[] | undefined;
  readonly approve?: Grant["approve"] | undefined;
};

export type Rights = {
  /** What the run may use itself. */
  readonly tools: readonly string[];
  /** What it may hand on. */
  readonly grant: Grant;
  /** The part of the folder above that it works in. */
  readonly directory?: string;
};

/** Of a run that works in a part of the folder: where it may write reads from there, and it sees nothing else. */
export const grantIn = (grant: Grant, directory: string | undefined): Grant =>
  directory === undefined
    ? grant
    : {
        ...grant,
        writes: rebaseWrites(grant.writes, directory),
        base: path.posix.join(grant.base ?? "", directory),
        directory: path.posix.join(grant.directory ?? "", directory),
        ...(grant.rules === undefined ? {} : { rules: grant.rules.map((set) => rebaseRules(set, directory)) }),
      };

const rebaseRules = (set: RuleSet, directory: string): RuleSet => ({
  ...set,
  base: path.posix.join(set.base ?? "", directory),
});

export const narrow = (parent: Grant, definition: DefinedRights, request: RequestedRights = {}): Rights => {
  const asked = (name: string): boolean => request.tools === undefined || matchesAny(request.tools, name);
  const passed = parent.tools.filter(asked);
  const allowed = passed.filter((name) => !namesTool(definition.deniedTools, name));
  const held = allowed.filter((name) => matchesAny(definition.tools, name));
  const { hiddenTools = [] } = definition;
  return {
    tools: held.filter((name) => !matchesAny(hiddenTools, name)),
    grant: {
      tools: definition.grant === "session" ? allowed : held,
      writes: definition.writes === undefined ? parent.writes : [...parent.writes, definition.writes],
      hosts: definition.hosts === undefined ? parent.hosts : [...parent.hosts, definition.hosts],
      ...rulesWith(parent, definition),
      ...(parent.base === undefined ? {} : { base: parent.base }),
      ...directoryOf(parent.directory),
      approve: request.approve === undefined ? parent.approve : stricterMode(parent.approve, request.approve),
      maxDepth: parent.maxDepth,
    },
  };
};

/** Sets come on top of each other, and are left out where there is none. */
const rulesWith = (above: Grant, { name = "agent", rules = [] }: DefinedRights): Pick<Grant, "rules"> => {
  const own = { from: name, rules, ...(above.base === undefined ? {} : { base: above.base }) };
  const sets = [...(above.rules ?? []), ...(rules.length === 0 ? [] : [own])];
  return sets.length === 0 ? {} : { rules: sets };
};

/** All of these sets, each once. */
export const withAllRules = (sets: Grant["rules"], more: Grant["rules"]): Pick<Grant, "rules"> => {
  const all = new Map([...(sets ?? []), ...(more ?? [])].map((set) => [JSON.stringify(set), set]));
  return all.size === 0 ? {} : { rules: [...all.values()] };
};

const hasRules = (sets: Grant["rules"], above: Grant["rules"]): boolean => {
  const known = new Set((sets ?? []).map((set) => JSON.stringify(set)));
  return (above ?? []).every((set) => known.has(JSON.stringify(set)));
};

const has = (lists: Grant["writes"], list: readonly string[]): boolean =>
  lists.some((one) => one.length === list.length && one.every((glob, index) => glob === list[index]));

/** Whether rights hold nothing that the grant above does not hold: what `narrow` makes, and nothing that was made in another way. */
export const isNarrowed = (above: Grant, { tools, grant, directory }: Rights): boolean => {
  const parent = grantIn(above, directory);
  return (
    [...tools, ...grant.tools].every((name) => parent.tools.includes(name)) &&
    parent.writes.every((list) => has(grant.writes, list)) &&
    parent.hosts.every((list) => has(grant.hosts, list)) &&
    hasRules(grant.rules, parent.rules) &&
    grant.directory === parent.directory &&
    APPROVE_MODES.indexOf(grant.approve) <= APPROVE_MODES.indexOf(parent.approve) &&
    grant.maxDepth <= parent.maxDepth
  );
};

/** What both of two grants hold, for runs that work in the same folder. */
export const withinBoth = (one: Grant, other: Grant): Grant => ({
  tools: one.tools.filter((name) => other.tools.includes(name)),
  writes: withAll(one.writes, other.writes),
  hosts: withAll(one.hosts, other.hosts),
  ...withAllRules(one.rules, other.rules),
  ...(one.base === undefined ? {} : { base: one.base }),
  ...directoryOf(one.directory ?? other.directory),
  approve: stricterMode(one.approve, other.approve),
  maxDepth: Math.min(one.maxDepth, other.maxDepth),
});

const directoryOf = (directory: string | undefined): Pick<Grant, "directory"> => (directory === undefined ? {} : { directory });

/** Every list narrows, so that those that are missing are added. */
export const withAll = (lists: Grant["writes"], more: Grant["writes"]): Grant["writes"] => [
  ...lists,
  ...more.filter((list) => !has(lists, list)),
];

export const stricterMode = (a: Grant["approve"], b: Grant["approve"]): Grant["approve"] =>
  APPROVE_MODES.indexOf(a) <= APPROVE_MODES.indexOf(b) ? a : b;
