/** The one way in which globs of paths are matched: relative, with forward slashes, hidden files like all others. */
import picomatch from "picomatch";

export type PathMatcher = (file: string) => boolean;

export type PathMatcherOptions = {
  /** Upper and lower case are the same, as on some disks they are. */
  readonly anyCase?: boolean;
};

const NOTHING: PathMatcher = () => false;
const MOST_KEPT = 500;
const kept = new Map<string, PathMatcher>();

/** Whether one of the globs matches; an empty one, and none at all, match nothing. Making one is dear, so that it is kept for the same globs. */
export const createPathMatcher = (globs: readonly string[], { anyCase = false }: PathMatcherOptions = {}): PathMatcher => {
  if (globs.every((glob) => glob === "")) return NOTHING;
  const key = `${anyCase ? "any" : "exact"}\0${globs.join("\0")}`;
  let matcher = kept.get(key);
  if (!matcher) {
    if (kept.size >= MOST_KEPT) kept.clear();
    matcher = picomatch(
      globs.filter((glob) => glob !== ""),
      { dot: true, nocase: anyCase },
    );
    kept.set(key, matcher);
  }
  return matcher;
};
