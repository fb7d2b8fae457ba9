/**
 * Globs over paths with forward slashes: `*`, `?`, `[a-z]`, `{a,b}`, `**` and a leading `!`. Matching backtracks over one star at a time,
 * so that no pattern takes long. A pattern without a slash matches the name at any depth.
 */
import { RetinueError } from "@retinue/protocol";

export type GlobMatcher = (path: string) => boolean;

const MAX_ALTERNATIVES = 200;

type Token = { readonly type: "character"; readonly test: (character: string) => boolean } | { readonly type: "star" };
type Segment = { readonly type: "globstar" } | { readonly type: "name"; readonly fits: (name: string) => boolean };

export const toGlobMatcher = (pattern: string): GlobMatcher => {
  const negated = pattern.startsWith("!");
  const alternatives = expandBraces(pattern.slice(negated ? 1 : 0).replace(/^(\.?\/)+/, "")).map(toSegments);
  const tests = alternatives.map(toTest);
  const [only] = tests;
  if (only && tests.length === 1) return (path) => only(path) !== negated;
  return (path) => tests.some((test) => test(path)) !== negated;
};

/**
 * Arguments by which ripgrep leaves out files that cannot match, for what it takes its time to tell. Globs of its own would bring back what
 * is ignored; the type of a file does not.
 */
export const toTypeArgs = (pattern: string): readonly string[] => {
  if (pattern.startsWith("!")) return [];
  const names = expandBraces(pattern).map((each) => each.slice(each.lastIndexOf("/") + 1));
  // What means the same to both.
  if (!names.every((name) => /^\*?[\w.-]+$/.test(name))) return [];
  return [...[...new Set(names)].map((name) => `--type-add=wanted:${name}`), "--type=wanted"];
};

/** Most paths are told by their last name, without taking them apart. */
const toTest = (segments: readonly Segment[]): GlobMatcher => {
  const last = segments.at(-1);
  if (last?.type !== "name") return (path) => matchSegments(segments, path.split("/"));
  const fitsLast: GlobMatcher = (path) => last.fits(path.slice(path.lastIndexOf("/") + 1));
  if (segments.length === 2 && segments[0]?.type === "globstar") return fitsLast;
  return (path) => fitsLast(path) && matchSegments(segments, path.split("/"));
};

/** `a{b,c}d` → `abd`, `acd`; nested braces too. A brace that is never closed stands for itself. */
const expandBraces = (pattern: string): readonly string[] => {
  const open = findBrace(pattern);
  if (!open) return [pattern];
  const expanded: string[] = [];
  for (const choice of open.choices)
    for (const rest of expandBraces(open.before + choice + open.after)) {
      expanded.push(rest);
      if (expanded.length > MAX_ALTERNATIVES)
        throw new RetinueError("tool_failed", `The braces of "${pattern}" stand for more than ${MAX_ALTERNATIVES} patterns.`, {
          hint: "Use fewer braces.",
        });
    }
  return expanded;
};

type Brace = { readonly before: string; readonly choices: readonly string[]; readonly after: string };

const findBrace = (pattern: string): Brace | undefined => {
  const start = pattern.indexOf("{");
  if (start < 0) return undefined;
  const choices: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === "{") depth += 1;
    else if (character === "," && depth === 1) {
      choices.push(pattern.slice(from, at));
      from = at + 1;
    } else if (character === "}" && --depth === 0) {
      choices.push(pattern.slice(from, at));
      return { before: pattern.slice(0, start), choices, after: pattern.slice(at + 1) };
    }
  }
  return undefined;
};

const toSegments = (pattern: string): readonly Segment[] => {
  const names = pattern.split("/");
  const segments = names.map((name): Segment =>
    name === "**" ? { type: "globstar" } : { type: "name", fits: toNameTest(name) },
  );
  // A folder stands for all that is in it.
  if (names.at(-1) === "") segments.splice(-1, 1, { type: "globstar" });
  return names.length === 1 ? [{ type: "globstar" }, ...segments] : segments;
};

const toNameTest = (name: string): ((given: string) => boolean) => {
  if (!/[*?[]/.test(name)) return (given) => given === name;
  const [, ending] = /^\*+([^*?[]*)$/.exec(name) ?? [];
  if (ending !== undefined) return (given) => given.endsWith(ending);
  const tokens = toTokens(name);
  return (given) => matchName(tokens, given);
};

const toTokens = (name: string): readonly Token[] => {
  const tokens: Token[] = [];
  const characters = Array.from(name);
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? "";
    const close = character === "[" ? characters.indexOf("]", at + 2) : -1;
    if (character === "*") {
      if (tokens.at(-1)?.type !== "star") tokens.push({ type: "star" });
    } else if (character === "?") tokens.push({ type: "character", test: () => true });
    else if (close > 0) {
      tokens.push({ type: "character", test: toClass(characters.slice(at + 1, close)) });
      at = close;
    } else tokens.push({ type: "character", test: (given) => given === character });
  }
  return tokens;
};

const toClass = (inside: readonly string[]): ((character: string) => boolean) => {
  const negated = inside[0] === "!" || inside[0] === "^";
  const ranges: (readonly [string, string])[] = [];
  for (let at = negated ? 1 : 0; at < inside.length; at += 1) {
    const from = inside[at] ?? "";
    const isRange = inside[at + 1] === "-" && at + 2 < inside.length;
    ranges.push([from, isRange ? (inside[at + 2] ?? from) : from]);
    if (isRange) at += 2;
  }
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== negated;
};

const matchSegments = (segments: readonly Segment[], names: readonly string[]): boolean =>
  matchStars({
    pattern: segments,
    given: names,
    isStar: (segment) => segment.type === "globstar",
    fits: (segment, name) => segment.type === "name" && segment.fits(name),
  });

const matchName = (tokens: readonly Token[], name: string): boolean =>
  matchStars({
    pattern: tokens,
    given: Array.from(name),
    isStar: (token) => token.type === "star",
    fits: (token, character) => token.type === "character" && token.test(character),
  });

type Matching<Wanted> = {
  readonly pattern: readonly Wanted[];
  readonly given: readonly string[];
  readonly isStar: (wanted: Wanted) => boolean;
  readonly fits: (wanted: Wanted, given: string) => boolean;
};

/** Greedy, going back to the latest star only: the product of both lengths at worst. */
const matchStars = <Wanted>({ pattern, given, isStar, fits }: Matching<Wanted>): boolean => {
  let at = 0;
  let wanted = 0;
  let star = -1;
  let starAt = 0;
  while (at < given.length) {
    const next = pattern[wanted];
    if (next !== undefined && isStar(next)) {
      star = wanted;
      starAt = at;
      wanted += 1;
    } else if (next !== undefined && fits(next, given[at] ?? "")) {
      wanted += 1;
      at += 1;
    } else if (star >= 0) {
      starAt += 1;
      at = starAt;
      wanted = star + 1;
    } else return false;
  }
  for (let left = wanted; left < pattern.length; left += 1) {
    const next = pattern[left];
    if (next === undefined || !isStar(next)) return false;
  }
  return true;
};
