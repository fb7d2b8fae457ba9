/**
 * What a word means to git as a revision, read more strictly than git reads it: only forms of which it is certain whose contents they name. What is read
 * otherwise here than by git would be judged by one name and shown by another.
 */

export type Revision =
  /** Commits, or ranges of them. Each of the names has to be a commit. */
  | { readonly type: "commits"; readonly names: readonly string[] }
  /** The files of a commit as a whole, by names only. */
  | { readonly type: "tree"; readonly name: string }
  /** A file or folder as it was in a commit, or is in the index (no name). */
  | { readonly type: "file"; readonly name: string | undefined; readonly path: string };

/** A name with the steps from it: no colon, no space, no two dots. */
const NAME = String.raw`(?!-)(?:(?!\.\.)[^\s:{}\\?*[]|@\{(?:(?!\.\.)[^{}])*\}|\^\{(?:commit|tag|object)?\})+`;

const ONE = new RegExp(`^${NAME}$`);
const RANGE = new RegExp(`^(${NAME})?(\\.{2,3})(${NAME})?$`);
const OF_COMMIT = new RegExp(`^(${NAME}?)(?:\\^!|\\^@|\\^-\\d*)$`);
const FOUND_BY_TEXT = new RegExp(String.raw`^(?:${NAME})\^\{/(?:(?!\.\.)[^{}])+\}$`);
const TREE = new RegExp(String.raw`^(${NAME}?)\^\{tree\}$`);
const FILE = new RegExp(String.raw`^(${NAME}?)(?:\^\{tree\})?:((?:(?!\.\.)[^])*)$`);
const INDEX = /^:(?:[0-3]:)?((?!\/)(?:(?!\.\.)[^:])+)$/;

/** Undefined for what is none of these. */
export const parseRevision = (word: string): Revision | undefined => {
  const name = word.startsWith("^") ? word.slice(1) : word;
  if (/^:\/./.test(name)) return name.includes("..") ? undefined : { type: "commits", names: [name] };
  const [, staged] = INDEX.exec(name) ?? [];
  if (staged !== undefined) return { type: "file", name: undefined, path: staged };
  if (FOUND_BY_TEXT.test(name)) return { type: "commits", names: [name] };
  const [, ofTree] = TREE.exec(name) ?? [];
  if (ofTree !== undefined) return { type: "tree", name: ofTree };
  const [, base, path] = FILE.exec(name) ?? [];
  if (base !== undefined && path !== undefined) return { type: "file", name: base, path };
  const [, single] = OF_COMMIT.exec(name) ?? [];
  if (single !== undefined) return { type: "commits", names: [single] };
  const [range, from, , to] = RANGE.exec(word) ?? [];
  if (range !== undefined) return { type: "commits", names: [from ?? "HEAD", to ?? "HEAD"] };
  return ONE.test(name) ? { type: "commits", names: [name] } : undefined;
};
