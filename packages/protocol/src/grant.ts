/**
 * What a run and everything below it may ever do. Grants only shrink on the way down: a list of lists is read as "one of each", so that a
 * child's conditions come on top of its parent's.
 */

/** How acts that are more than reading are treated. */
export type ApproveMode = "ask" | "read-only" | "workspace" | "all";

export const RULE_EFFECTS = ["allow", "ask", "deny"] as const;

/** `ask`: a human decides, whatever the approve mode; where nobody can be asked, the call is denied. */
export type RuleEffect = (typeof RULE_EFFECTS)[number];

/** What a file says of some calls. Of `path`, `like` and `host` there is at most one; with none of them it is about every call of its tools. */
export type Rule = {
  /** Names of tools, or globs of names. */
  readonly tools: readonly string[];
  /** A glob of paths, relative to the workspace. */
  readonly path?: string;
  /** What the command, the path, the address or the name reads like: `*` is any text, `?` one character, and ` *` at the end may be absent. */
  readonly like?: string;
  /** A host, as in `hosts`. */
  readonly host?: string;
  readonly effect: RuleEffect;
};

/** The rules of one source. Of those that match a call the last decides; a call that none matches is not this source's concern. */
export type RuleSet = {
  /** Whose rules they are, for people. */
  readonly from: string;
  readonly rules: readonly Rule[];
  /** The folder that the workspace is, seen from where the paths of the rules begin; absent: that very place. */
  readonly base?: string;
};

export type Grant = {
  /** Names of tools that this run may hand on. What it may use itself is `RunSpec.tools`. */
  readonly tools: readonly string[];
  /** A path may be written if each list has a glob that matches it. No lists: anywhere in the workspace. */
  readonly writes: readonly (readonly string[])[];
  /** A host may be reached if each list has a pattern that matches it. */
  readonly hosts: readonly (readonly string[])[];
  /** A call may run if no set denies it, and without a human's word if no set asks for that. */
  readonly rules?: readonly RuleSet[];
  /** The folder that is worked in, seen from the root of the project, where rules begin; absent: that very root. */
  readonly base?: string;
  /** The part of the session's workspace that is worked in, with forward slashes: nothing outside of it is seen. Absent: all of the workspace. */
  readonly directory?: string;
  readonly approve: ApproveMode;
  /** Runs deeper than this are not started. */
  readonly maxDepth: number;
};

/** From what is allowed without asking the least to the most. */
export const APPROVE_MODES = ["read-only", "ask", "workspace", "all"] as const satisfies readonly ApproveMode[];
