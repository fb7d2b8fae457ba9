/**
 * What a word means to git as a revision, read more strictly than git reads it: only forms of which it is certain whose contents they name. What is read
 * otherwise here than by git would be judged by one name and shown by another.
 */

export type Revision = {
  /**
   * `commits`: commits, or ranges of them. `tree`: the files of a commit as a whole, by names only. `file`: a file or folder as it was in a commit, or is
   * in the index (no name).
   */
  readonly type: "commits" | "tree" | "file";
  /** Each of them has to be a commit. */
  readonly names: readonly string[];
  /** What stands before, between and after the names. */
  readonly around: readonly string[];
  /** Of a `file`. */
  readonly path?: string;
};

/** A name with the steps from it: no colon, no space, no two dots. */
const NAME = String.raw`(?!-)(?:(?!\.\.)[^\s:{}\\?*[]|@\{(?:(?!\.\.)[^{}])*\}|\^\{(?:commit|tag|object)?\})+`;

const ONE = new RegExp(`^${NAME}$`);
const RANGE = new RegExp(`^(${NAME})?(\\.{2,3})(${NAME})?$`);
const OF_COMMIT = new RegExp(`^(${NAME}?)(\\^!|\\^@|\\^-\\d*)$`);
const FOUND_BY_TEXT = new RegExp(String.raw`^(?:${NAME})\^\{/(?:(?!\.\.)[^{}])+\}$`);
const TREE = new RegExp(String.raw`^(${NAME}?)\^\{tree\}$`);
const FILE = new RegExp(String.raw`^(${NAME}?)(?:\^\{tree\})?:((?:(?!\.\.)[^])*)$`);
const INDEX = /^:(?:[0-3]:)?((?!\/)(?:(?!\.\.)[^:])+)$/;

/** Undefined for what is none of these. */
export const parseRevision = (word: string): Revision | undefined => {
  const before = word.startsWith("^") ? "^" : "";
  const name = word.slice(before.length);
  const toOne = (type: Revision["type"], base: string, after = ""): Revision => ({
    type,
    names: [base],
    around: [before, after],
  });
  if (/^:\/./.test(name)) return name.includes("..") ? undefined : toOne("commits", name);
  const [, staged] = INDEX.exec(name) ?? [];
  if (staged !== undefined) return { type: "file", names: [], around: [word], path: staged };
  if (FOUND_BY_TEXT.test(name)) return toOne("commits", name);
  const [, ofTree] = TREE.exec(name) ?? [];
  if (ofTree !== undefined) return toOne("tree", ofTree, "^{tree}");
  const [, base, path] = FILE.exec(name) ?? [];
  if (base !== undefined && path !== undefined) return { ...toOne("file", base, `:${path}`), path };
  const [, single, steps] = OF_COMMIT.exec(name) ?? [];
  if (single !== undefined) return toOne("commits", single, steps);
  const [range, from = "HEAD", dots = "", to = "HEAD"] = RANGE.exec(word) ?? [];
  if (range !== undefined) return { type: "commits", names: [from, to], around: ["", dots, ""] };
  return ONE.test(name) ? toOne("commits", name) : undefined;
};
