/**
 * Globs that decide what agents may do. What matchers read in different ways is not guessed at: a glob that allows then matches nothing, and one
 * that forbids everything. A path that is the glob itself, letter by letter, is always matched.
 */
import type { PathMatcher } from "./read-glob.ts";
import { readGlob, toAlternatives } from "./read-glob.ts";

export type PathMatcherOptions = {
  /** Upper and lower case are the same, as on some disks they are. */
  readonly anyCase?: boolean;
  /** What the globs match is kept from agents, not given to them. */
  readonly forbids?: boolean;
};

const NOTHING: PathMatcher = () => false;
const MOST_KEPT = 500;
const kept = new Map<string, PathMatcher>();
const known = new Map<string, boolean>();

/** Whether one of the globs matches; an empty one, and none at all, match nothing. Making one is dear, so that it is kept for the same globs. */
export const createPathMatcher = (
  globs: readonly string[],
  { anyCase = false, forbids = false }: PathMatcherOptions = {},
): PathMatcher => {
  const given = globs.filter((glob) => glob !== "");
  if (given.length === 0) return NOTHING;
  const key = `${anyCase ? "any" : "exact"}\0${forbids ? "forbids" : "allows"}\0${given.join("\0")}`;
  let matcher = kept.get(key);
  if (!matcher) {
    if (kept.size >= MOST_KEPT) kept.clear();
    matcher = toMatcher(given, { anyCase, forbids });
    kept.set(key, matcher);
  }
  return matcher;
};

/**
 * Whether a glob is read at all: no regular expression, range, quote or named class is in it, no brace around a single choice, and `**` is
 * a whole name.
 */
export const isPathGlob = (glob: string): boolean => {
  let isOne = known.get(glob);
  if (isOne === undefined) {
    if (known.size >= MOST_KEPT) known.clear();
    const clear = toClearGlob(glob);
    isOne = clear !== undefined && readGlob(clear) !== undefined;
    known.set(glob, isOne);
  }
  return isOne;
};

/** Line breaks, and names that lead elsewhere. */
const ODD_PATH = /[\n\r\u2028\u2029]|(?:^|\/)\.{1,2}(?:\/|$)/;

const toMatcher = (globs: readonly string[], { anyCase, forbids }: Required<PathMatcherOptions>): PathMatcher => {
  const texts = new Set(globs);
  const clear = globs.flatMap((glob) => toClearGlob(glob) ?? []);
  const tests = clear.flatMap((glob) => readGlob(glob, { anyCase }) ?? []);
  if (forbids && tests.length < globs.length) return (file) => file !== "";
  return (file) => texts.has(file) || ((forbids || !ODD_PATH.test(file)) && tests.some((test) => test(file)));
};

const LONGEST = 1000;
const ESCAPED = /\\[*?[\]{}()!]/g;
const CLASS = /\[\^?[\w.-]+\](?!\+)/g;
const UNCLEAR = /[[\]()|"\\\0]|\}\+|^!!|^!$|\.\.|\/\/|\$\$|\*\*\/\{.*[{,]\*{0,2}[,}]|\*\*\/\{\*{0,2},/;
const CHOICE = /\{[^{}]*,[^{}]*\}/g;
const GLOBSTAR = /(?<=^!?|[/{,])\*\*(?=$|[/},])/g;
const MARK = "\0";

/**
 * The glob as it is read, undefined where that is not sure. `a/**` stands for `a` too, but a `**` in braces, or at the end after another star, for at least one name.
 */
const toClearGlob = (glob: string): string | undefined => {
  if (glob.length > LONGEST) return undefined;
  const given = glob.replace(/^(!?)(?:\.\/)+/, "$1").replaceAll(/(?<=^!?|\/)(?:\*\*\/)+(?=\*\*(?:\/|$))/g, "");
  // As long as the glob, without what stands for itself.
  const bare = given.replaceAll(ESCAPED, "xx").replaceAll(CLASS, (text) => "x".repeat(text.length));
  if (UNCLEAR.test(bare) || /[{}]/.test(withoutChoices(bare))) return undefined;
  const alternatives = toAlternatives(bare.replaceAll(GLOBSTAR, MARK).replace(/^!/, ""));
  const names = alternatives?.flatMap((alternative) => alternative.split("/"));
  if (!names?.every((name) => name === MARK || !(name.includes(MARK) || name.includes("**")))) return undefined;
  let clear = "";
  let from = 0;
  for (const { index } of bare.matchAll(GLOBSTAR)) {
    const end = index + 2;
    const isLast = end === bare.length && bare[index - 2] === "*";
    clear += given.slice(from, end) + (isLast || isInBraces(bare, index) ? "/*" : "");
    from = end;
  }
  return clear + given.slice(from);
};

const withoutChoices = (glob: string): string => {
  let [before, after] = ["", glob];
  while (before !== after) [before, after] = [after, after.replaceAll(CHOICE, "x")];
  return after;
};

const isInBraces = (glob: string, at: number): boolean => {
  const before = glob.slice(0, at);
  return before.lastIndexOf("{") >= 0 && before.split("{").length > before.split("}").length;
};
