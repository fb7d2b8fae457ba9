/**
 * Globs as they are typed to look for files, told in the one language of path globs: a pattern without a slash matches the name at any depth, one that ends
 * with a slash all that is in a folder, and `/` or `./` at the beginning means nothing.
 */
import { RetinueError } from "@retinue/protocol";
import type { PathMatcher } from "@retinue/runtime";
import { MAX_ALTERNATIVES, readGlob, toAlternatives } from "@retinue/runtime";

export const toGlobMatcher = (pattern: string): PathMatcher => {
  const isNegated = pattern.startsWith("!");
  const matchers = expand(isNegated ? pattern.slice(1) : pattern).map((each) => {
    const matcher = readGlob(toGlob(each), { wholeCharacters: true });
    if (!matcher) throw tooMuch(pattern);
    return matcher;
  });
  const [only] = matchers;
  const matches: PathMatcher = only && matchers.length === 1 ? only : (file) => matchers.some((one) => one(file));
  return isNegated ? (file) => !matches(file) : matches;
};

/**
 * Arguments by which ripgrep leaves out files that cannot match, for what it takes its time to tell. Globs of its own would bring back what
 * is ignored; the type of a file does not.
 */
export const toTypeArgs = (pattern: string): readonly string[] => {
  if (pattern.startsWith("!")) return [];
  const names = expand(pattern).map((each) => each.slice(each.lastIndexOf("/") + 1));
  // What means the same to both.
  if (!names.every((name) => /^\*?[\w.-]+$/.test(name))) return [];
  return [...[...new Set(names)].map((name) => `--type-add=wanted:${name}`), "--type=wanted"];
};

const toGlob = (pattern: string): string => {
  const relative = pattern.replace(/^(\.?\/)+/, "");
  const whole = relative.endsWith("/") ? `${relative}**` : relative;
  return whole.includes("/") ? whole : `**/${whole}`;
};

const expand = (pattern: string): readonly string[] => {
  const alternatives = toAlternatives(pattern);
  if (!alternatives) throw tooMuch(pattern);
  return alternatives;
};

const tooMuch = (pattern: string): RetinueError =>
  new RetinueError("tool_failed", `The braces and brackets of "${pattern}" stand for more than ${MAX_ALTERNATIVES} patterns.`, {
    hint: "Use fewer of them.",
  });
