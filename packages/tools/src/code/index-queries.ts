/** The other questions to the index: what is exported without documentation, and which files have to do with the words of a task. */
import type { DocumentedFile, TermMatch } from "./index-request.ts";
import { isTestPath, linesOf, toDefinition, toFilter } from "./search-symbols.ts";
import { hasTerm } from "./split-name.ts";
import type { SymbolStore } from "./symbol-store.ts";
import { toToken } from "./symbol-store.ts";

/** What is part of something that is documented itself, or only passes it on, needs no words of its own. */
const NEEDS_NONE = ["constant", "export", "property", "variable"];

export const listDocumented = (store: SymbolStore, named: string | undefined): readonly DocumentedFile[] => {
  const { clause, values } = toFilter({ path: named, language: undefined });
  const rows = store.all(
    "select d.*, f.path, f.language from definitions d join files f on f.id = d.file_id where d.exported = 1 " +
      `and (d.kind not in (${NEEDS_NONE.map((kind) => `'${kind}'`).join(", ")}) or (d.container = '' and d.kind = 'constant')) ` +
      `and d.name <> 'constructor'${clause} order by f.path, d.line`,
    ...values,
  );
  const files = new Map<string, { exported: number; missing: DocumentedFile["missing"][number][] }>();
  for (const definition of rows.map(toDefinition)) {
    if (isTestPath(definition.file)) continue;
    let entry = files.get(definition.file);
    if (!entry) files.set(definition.file, (entry = { exported: 0, missing: [] }));
    entry.exported += 1;
    if (!definition.documented) entry.missing.push(definition);
  }
  return Array.from(files, ([file, entry]) => ({ file, ...entry }));
};

const MAX_SYMBOLS = 2000;
const MAX_USES = 500;

export const matchTerms = (
  store: SymbolStore,
  terms: readonly string[],
  identifiers: readonly string[],
): readonly TermMatch[] => {
  const found = new Map<string, { file: string; term: string; defines: string[]; usedOn: number }>();
  const entryOf = (file: string, term: string) => {
    const key = `${file}\0${term}`;
    let entry = found.get(key);
    if (!entry) found.set(key, (entry = { file, term, defines: [], usedOn: 0 }));
    return entry;
  };
  for (const term of terms)
    for (const row of store.all(
      `select d.name, f.path from definitions d join files f on f.id = d.file_id where instr(d.lower, ?) > 0 limit ${MAX_SYMBOLS}`,
      term,
    ))
      if (hasTerm(String(row["name"]), term)) entryOf(String(row["path"]), term).defines.push(String(row["name"]));
  for (const name of identifiers)
    for (const row of store.all(
      "select f.path, u.text from used_names join files f on f.id = used_names.rowid join uses u on u.file_id = f.id " +
        `where used_names match ? limit ${MAX_USES}`,
      `"${toToken(name)}"`,
    )) {
      const lines = linesOf(String(row["text"]), name);
      if (lines.length > 0) entryOf(String(row["path"]), name.toLowerCase()).usedOn = lines.length;
    }
  return [...found.values()];
};
