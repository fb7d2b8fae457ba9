/** Looks symbols up in the index: definitions by name or a part of it, references by name. */
import type { SymbolKind } from "./code-symbol.ts";
import { SYMBOL_KINDS } from "./code-symbol.ts";
import type { FoundReferences, SymbolSearch, SymbolsFound } from "./index-request.ts";
import type { StoredDefinition, SymbolStore } from "./symbol-store.ts";
import { toToken } from "./symbol-store.ts";
import { readWorkspaceFile } from "./workspace-file.ts";

/** Names that a part of a name may lead to. */
const MAX_NAMES = 20;
/** Of those, how many have their references looked for. */
const MAX_USED_NAMES = 5;
/** Names looked at for a part of one. */
const MAX_CANDIDATES = 20_000;
/** Files whose references are looked at; of a name that is used in more, these must do. */
const MAX_FILES_SCANNED = 400;
const MAX_LINE_CHARS = 200;
const MAX_READ_BYTES = 10_000_000;

export const searchSymbols = (store: SymbolStore, root: string, search: SymbolSearch): SymbolsFound => {
  const { name, container } = toQualified(search.query);
  const own = search.kind === "definitions" ? NO_REFERENCES : findReferences(store, search, [name]);
  // With references of just this name, other names need not be looked for.
  const { match, definitions } =
    search.kind === "references" && own.files.length > 0
      ? ({ match: "exact", definitions: [] } as const)
      : findDefinitions(store, search, name, container);
  const wanted = search.kind === "references" ? [] : definitions;
  const names = toNames(search, name, own, match, definitions);
  const { isWhole, files } = names[0] === name ? own : findReferences(store, search, names);
  return {
    match,
    definitions: wanted.slice(0, search.limit),
    definitionCount: wanted.length,
    names,
    references: withText(root, files, search.limit),
    referenceCount: files.reduce((sum, { lines }) => sum + lines.length, 0),
    referenceFiles: files.length,
    isWhole,
  };
};

/** `Outer.inner`, `Outer::inner` and `Outer#inner` ask for what is in something. */
const toQualified = (query: string): { readonly name: string; readonly container: string } => {
  const parts = query
    .trim()
    .replace(/\(\)$/, "")
    .split(/::|->|[.#](?=\w)/)
    .filter((part) => part !== "");
  return { name: parts.at(-1) ?? "", container: parts.slice(0, -1).join(".") };
};

type DefinitionsFound = { readonly match: SymbolsFound["match"]; readonly definitions: readonly StoredDefinition[] };

const findDefinitions = (store: SymbolStore, search: SymbolSearch, name: string, container: string): DefinitionsFound => {
  const inContainer = (definition: StoredDefinition): boolean =>
    container === "" || `.${definition.container}`.toLowerCase().endsWith(`.${container}`.toLowerCase());
  const same = readByNames(store, search, [name.toLowerCase()]).filter(inContainer);
  const exact = same.filter((definition) => definition.name === name);
  if (exact.length > 0) return { match: "exact", definitions: toRanked(exact) };
  if (same.length > 0) return { match: "case", definitions: toRanked(same) };
  const names = findNames(store, name);
  // One name after the other, the most like it first.
  const definitions = names.flatMap((each) => toRanked(readByNames(store, search, [each]).filter(inContainer)));
  return { match: definitions.length > 0 ? "fragment" : "none", definitions };
};

const findNames = (store: SymbolStore, query: string): readonly string[] => {
  const fragments = query
    .toLowerCase()
    .split(/\s+/)
    .filter((fragment) => fragment !== "");
  const [first = ""] = fragments;
  if (first === "") return [];
  const rows = store.all(
    `select distinct lower, name from definitions where ${fragments.map(() => "instr(lower, ?) > 0").join(" and ")} limit ${MAX_CANDIDATES}`,
    ...fragments,
  );
  const ranks = new Map<string, number>();
  for (const row of rows) {
    const lower = String(row["lower"]);
    ranks.set(lower, Math.min(ranks.get(lower) ?? Infinity, rankOf(String(row["name"]), first)));
  }
  return [...ranks]
    .toSorted((a, b) => a[1] - b[1] || a[0].length - b[0].length || (a[0] < b[0] ? -1 : 1))
    .slice(0, MAX_NAMES)
    .map(([lower]) => lower);
};

/** At the beginning, at the beginning of a word in it, anywhere. */
const rankOf = (name: string, fragment: string): number => {
  const at = name.toLowerCase().indexOf(fragment);
  if (at === 0) return 0;
  const letter = name[at] ?? "";
  return /[\W_]/.test(name[at - 1] ?? "") || letter !== letter.toLowerCase() ? 1 : 2;
};

const readByNames = (store: SymbolStore, search: SymbolSearch, lower: readonly string[]): readonly StoredDefinition[] => {
  const { clause, values } = toFilter(search);
  const rows = store.all(
    "select d.name, d.kind, d.line, d.end_line, d.container, d.signature, d.exported, d.documented, f.path, f.language " +
      `from definitions d join files f on f.id = d.file_id where d.lower in (${lower.map(() => "?").join(", ")})${clause} limit 5000`,
    ...lower,
    ...values,
  );
  return rows.map(toDefinition);
};

export const toDefinition = (row: Record<string, unknown>): StoredDefinition => ({
  name: String(row["name"]),
  kind: toKind(String(row["kind"])),
  line: Number(row["line"]),
  endLine: Number(row["end_line"]),
  container: String(row["container"]),
  signature: String(row["signature"]),
  exported: row["exported"] === 1,
  documented: row["documented"] === 1,
  file: String(row["path"]),
  language: String(row["language"]),
});

/** Only kinds were stored. */
const toKind = (kind: string): SymbolKind => (SYMBOL_KINDS.has(kind) ? (kind as SymbolKind) : "variable");

/** A file or folder is compared by its characters, in which `%` and `_` mean nothing. */
export const toFilter = ({
  path: named,
  language,
}: Pick<SymbolSearch, "path" | "language">): {
  readonly clause: string;
  readonly values: readonly string[];
} => {
  const values: string[] = [];
  let clause = "";
  if (named !== undefined) {
    clause += " and (f.path = ? or substr(f.path, 1, length(?)) = ?)";
    values.push(named, `${named}/`, `${named}/`);
  }
  if (language !== undefined) {
    clause += " and f.language = ?";
    values.push(language);
  }
  return { clause, values };
};

const LATE_KINDS: ReadonlySet<SymbolKind> = new Set(["property", "export", "variable"]);

/** What was most likely meant comes first: what is exported, no tests, no mere mentions. */
const toRanked = (definitions: readonly StoredDefinition[]): readonly StoredDefinition[] =>
  definitions.toSorted((a, b) => lateness(a) - lateness(b) || (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line));

const lateness = ({ kind, exported, file }: StoredDefinition): number =>
  (LATE_KINDS.has(kind) ? 4 : 0) + (isTestPath(file) ? 2 : 0) + (exported ? 0 : 1);

export const isTestPath = (file: string): boolean =>
  /(^|\/)(tests?|__tests__|spec|specs|testing|fixtures?|testdata)\/|[._-](test|spec)s?\.\w+$|(^|\/)(test_[^/]*|[^/]*_test)\.\w+$/i.test(
    file,
  );

/** The name itself where anything defines or uses it, otherwise those of what was found. */
const toNames = (
  search: SymbolSearch,
  name: string,
  own: ReferencesFound,
  match: SymbolsFound["match"],
  definitions: readonly StoredDefinition[],
): readonly string[] => {
  if (search.kind === "definitions") return [];
  if (match === "exact" || own.files.length > 0) return [name];
  return [...new Set(definitions.map((definition) => definition.name))].slice(0, MAX_USED_NAMES);
};

type LinesOfFile = { readonly file: string; readonly lines: readonly number[] };
type ReferencesFound = { readonly isWhole: boolean; readonly files: readonly LinesOfFile[] };

const NO_REFERENCES: ReferencesFound = { isWhole: true, files: [] };

const findReferences = (store: SymbolStore, search: SymbolSearch, names: readonly string[]): ReferencesFound => {
  const tokens = [...new Set(names.map(toToken))].filter((token) => token !== "");
  if (tokens.length === 0) return NO_REFERENCES;
  const { clause, values } = toFilter(search);
  // Not put in order here, which would have to read the uses of all files first.
  const rows = store.all(
    "select f.path, u.text from used_names join files f on f.id = used_names.rowid join uses u on u.file_id = f.id " +
      `where used_names match ?${clause} limit ${MAX_FILES_SCANNED + 1}`,
    tokens.map((token) => `"${token}"`).join(" OR "),
    ...values,
  );
  const files: LinesOfFile[] = [];
  for (const row of rows.slice(0, MAX_FILES_SCANNED)) {
    const lines = new Set<number>();
    for (const name of names) for (const line of linesOf(String(row["text"]), name)) lines.add(line);
    if (lines.size > 0) files.push({ file: String(row["path"]), lines: [...lines].toSorted((a, b) => a - b) });
  }
  return { isWhole: rows.length <= MAX_FILES_SCANNED, files: files.toSorted(byRelevance) };
};

const byRelevance = (a: LinesOfFile, b: LinesOfFile): number =>
  Number(isTestPath(a.file)) - Number(isTestPath(b.file)) || (a.file < b.file ? -1 : 1);

export const linesOf = (uses: string, name: string): readonly number[] => {
  const at = uses.indexOf(`\n${name}\t`);
  if (at < 0) return [];
  const start = at + name.length + 2;
  const end = uses.indexOf("\n", start);
  return uses
    .slice(start, end < 0 ? undefined : end)
    .split(",")
    .map(Number);
};

/** As many lines as wanted, with what stands on them now. */
const withText = (root: string, references: readonly LinesOfFile[], limit: number): readonly FoundReferences[] => {
  const shown: FoundReferences[] = [];
  let left = limit;
  for (const { file, lines } of references) {
    if (left <= 0) break;
    const texts = readWorkspaceFile({ root, path: file, maxBytes: MAX_READ_BYTES })?.bytes?.toString("utf8").split(/\r?\n/) ?? [];
    const some = lines.slice(0, left);
    left -= some.length;
    shown.push({
      file,
      lines: some.map((number) => ({ number, text: (texts[number - 1] ?? "").trim().slice(0, MAX_LINE_CHARS) })),
    });
  }
  return shown;
};
