/**
 * What the rules of files say of one call. Every set is asked, and the strictest answer holds, so that rules only ever take away. Where it cannot be told
 * which rules are about a call, the strictest of those that may be decides.
 */
import path from "node:path";
import type { Rule, RuleEffect, RuleSet } from "@retinue/protocol";
import { RULE_EFFECTS } from "@retinue/protocol";
import { matchesAny } from "@retinue/protocol/names";
import { createPathMatcher, isPathGlob } from "../globs/path-globs.ts";
import { reachesHost } from "../host-pattern.ts";
import { namesTool } from "../tool-spellings.ts";
import type { CommandForms } from "./match-command.ts";
import { isAllowedLike, isHeldLike, readsLike, toForms } from "./match-command.ts";
import { parseShellLine } from "../shell/parse-shell-line.ts";

/** What a call is about, as rules see it. */
export type RuledCall = {
  readonly tool: string;
  /** Relative to the workspace, with forward slashes; each as it was named and as it really is. Absent: what it touches is not known. */
  readonly paths?: readonly string[] | undefined;
  /** Where the paths begin, absolute; more than one where the workspace is a copy. */
  readonly roots?: readonly string[];
  /** A command line. */
  readonly command?: string | undefined;
  /** Addresses, names, or commands in other words. */
  readonly texts?: readonly string[] | undefined;
  readonly hosts?: readonly string[];
  /** It looks at files below its paths, and does not ask about each. */
  readonly looksBelow?: boolean;
};

export type RuleVerdict = {
  readonly effect: RuleEffect;
  /** The rule that decided, and whose it is, in words; absent where all is allowed. */
  readonly by?: string;
};

const ALLOWED: RuleVerdict = { effect: "allow" };

/** One thing that a call is about. */
type Aspect =
  | { readonly type: "path"; readonly path: string; readonly absolute: readonly string[] }
  | { readonly type: "command"; readonly forms: CommandForms }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "host"; readonly host: string }
  /** Nothing that a rule could name. */
  | { readonly type: "nothing" }
  /** Something that could not be told. */
  | { readonly type: "unclear" };

const UNCLEAR: Aspect = { type: "unclear" };
const NOTHING: Aspect = { type: "nothing" };

export const judgeRules = (sets: readonly RuleSet[] | undefined, call: RuledCall): RuleVerdict => {
  if (sets === undefined || sets.length === 0) return ALLOWED;
  const aspects = aspectsOf(call);
  return sets.map((set) => judgeSet(set, call, aspects)).reduce(stricter, ALLOWED);
};

/** Whether rules of a set allow everything that the call is about, each by a rule of its own. What cannot be told is not allowed so. */
export const isAllowedByRule = (sets: readonly RuleSet[], call: RuledCall): boolean => {
  const aspects = aspectsOf(call);
  return (
    aspects.length > 0 &&
    aspects.every(
      (aspect) =>
        aspect.type !== "unclear" &&
        aspect.type !== "nothing" &&
        !(aspect.type === "command" && aspect.forms.isOpen) &&
        sets.some((set) => {
          const about = rulesAbout(set, call.tool);
          return about.findLast((rule) => isAbout(rule, toSeen(aspect, set)))?.effect === "allow";
        }),
    )
  );
};

const stricter = (one: RuleVerdict, other: RuleVerdict): RuleVerdict =>
  RULE_EFFECTS.indexOf(other.effect) > RULE_EFFECTS.indexOf(one.effect) ? other : one;

const rulesAbout = ({ rules }: RuleSet, tool: string): readonly Rule[] =>
  rules.filter(({ tools, effect }) => (effect === "allow" ? matchesAny(tools, tool) : namesTool(tools, tool)));

const judgeSet = (set: RuleSet, call: RuledCall, aspects: readonly Aspect[]): RuleVerdict => {
  const about = rulesAbout(set, call.tool);
  if (about.length === 0) return ALLOWED;
  const verdicts = aspects.map((aspect) => judgeAspect(about, toSeen(aspect, set), set.from));
  return verdicts.reduce(stricter, call.looksBelow === true ? strictest(about.filter(isAboutPaths), set.from) : ALLOWED);
};

const isAboutPaths = ({ path: glob, like }: Rule): boolean => glob !== undefined || like !== undefined;

/** A path as it is seen from where the rules begin. */
const toSeen = (aspect: Aspect, { base }: RuleSet): Aspect =>
  aspect.type === "path" && base !== undefined ? { ...aspect, path: path.posix.join(base, aspect.path) } : aspect;

const judgeAspect = (about: readonly Rule[], aspect: Aspect, from: string): RuleVerdict => {
  if (aspect.type === "unclear") return strictest(about, from);
  const at = about.findLastIndex((one) => isAbout(one, aspect) && !isMaybeAbout(one, aspect));
  const rule = about[at];
  const verdict = about
    .slice(at + 1)
    .filter((one) => isMaybeAbout(one, aspect))
    .map((one) => toVerdict(one, from))
    .reduce(stricter, rule ? toVerdict(rule, from) : ALLOWED);
  // What is allowed as everything is, and not by its name, may start what is not.
  const isByName = rule !== undefined && isConditional(rule);
  return aspect.type === "command" && aspect.forms.runsOthers && !isByName
    ? stricter(verdict, strictest(about, from, verdict))
    : verdict;
};

/** From the last rule about every call on. */
const strictest = (about: readonly Rule[], from: string, otherwise: RuleVerdict = ALLOWED): RuleVerdict => {
  const last = about.findLastIndex((rule) => !isConditional(rule));
  return about
    .slice(Math.max(0, last))
    .map((rule) => toVerdict(rule, from))
    .reduce(stricter, otherwise);
};

const isConditional = ({ path: glob, like, host }: Rule): boolean =>
  glob !== undefined || like !== undefined || host !== undefined;

/** It holds what cannot be told, so that it may add to what an earlier rule says, and not take its place. */
const isMaybeAbout = ({ path: glob, effect }: Rule, aspect: Aspect): boolean =>
  aspect.type === "path" && glob !== undefined && effect !== "allow" && !isPathGlob(glob);

const isAbout = (rule: Rule, aspect: Aspect): boolean => {
  const { path: glob, like, host, effect } = rule;
  if (!isConditional(rule)) return true;
  switch (aspect.type) {
    case "path":
      if (glob !== undefined) return createPathMatcher([glob], { forbids: effect !== "allow" })(aspect.path);
      return like !== undefined && [aspect.path, ...aspect.absolute].some((form) => readsLike(like, form));
    case "command":
      return like !== undefined && (effect === "allow" ? isAllowedLike(like, aspect.forms) : isHeldLike(like, aspect.forms));
    case "text":
      return like !== undefined && readsLike(like, aspect.text);
    case "host":
      return host !== undefined && reachesHost(host, aspect.host);
    case "nothing":
      return false;
    case "unclear":
      return effect !== "allow";
    default:
      return aspect satisfies never;
  }
};

const aspectsOf = ({ paths, roots = [], command, texts, hosts = [] }: RuledCall): readonly Aspect[] => {
  if (command !== undefined) return aspectsOfCommand(command);
  if (texts !== undefined) return [...texts.flatMap(formsOfText), ...hosts.map((host): Aspect => ({ type: "host", host }))];
  const touched = [
    ...(paths ?? []).map((file): Aspect => ({
      type: "path",
      path: file,
      absolute: roots.map((root) => path.posix.join(root, file)),
    })),
    ...hosts.map((host): Aspect => ({ type: "host", host })),
  ];
  return touched.length > 0 ? touched : [paths === undefined ? UNCLEAR : NOTHING];
};

const aspectsOfCommand = (line: string): readonly Aspect[] => {
  const commands = parseShellLine(line);
  if (!commands) return [UNCLEAR];
  const aspects = toForms(commands).map((forms, at) => ({ words: commands[at]?.words ?? [], forms }));
  // A change of folder does nothing by itself.
  const acting = aspects.filter(({ words, forms }) => words[0]?.text !== "cd" || words.length > 2 || forms.isOpen);
  return (acting.length === 0 ? aspects : acting).map(({ forms }) => ({ type: "command", forms }));
};

/** An address as it is written, and as it is read. */
const formsOfText = (text: string): readonly Aspect[] => {
  const read = URL.canParse(text) ? new URL(text).href : text;
  return [...new Set([text, read])].map((form) => ({ type: "text", text: form }));
};

const toVerdict = (rule: Rule, from: string): RuleVerdict =>
  rule.effect === "allow" ? ALLOWED : { effect: rule.effect, by: `${from}: ${describeRule(rule)}` };

/** `deny shell "git push *"`. */
export const describeRule = ({ tools, path: glob, like, host, effect }: Rule): string => {
  const about = glob ?? like ?? host;
  return `${effect} ${tools.join(", ")}${about === undefined ? "" : ` ${JSON.stringify(about)}`}`;
};
