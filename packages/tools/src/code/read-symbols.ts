/** Parses a source text and reads its symbols off the tree. */
import { createRequire } from "node:module";
import path from "node:path";
import type { Node, Query, QueryMatch } from "web-tree-sitter";
import { Language, Parser, Query as TreeQuery } from "web-tree-sitter";
import type { CodeLanguage, FoundDefinition } from "./code-language.ts";
import type { Definition, SourceSymbols, SymbolKind } from "./code-symbol.ts";
import { SYMBOL_KINDS } from "./code-symbol.ts";

/** Undefined where the text could not be parsed within its time. */
export type ReadSymbols = (language: CodeLanguage, file: string, source: string) => Promise<SourceSymbols | undefined>;

const PARSE_TIME_MS = 3000;
const MAX_DEFINITIONS = 5000;
const MAX_SIGNATURE_CHARS = 200;
/** How much before a definition on its line still belongs to it: modifiers, `export const`. */
const MAX_LEAD_CHARS = 60;

export const createSymbolReader = async (): Promise<ReadSymbols> => {
  await Parser.init();
  const parser = new Parser();
  const loaded = new Map<string, Promise<LoadedLanguage>>();
  return async (language, file, source) => {
    let loading = loaded.get(language.name);
    if (!loading) loaded.set(language.name, (loading = load(language)));
    const { grammar, queries } = await loading;
    parser.setLanguage(grammar);
    const deadline = performance.now() + PARSE_TIME_MS;
    const tree = parser.parse(source, null, { progressCallback: () => performance.now() > deadline });
    if (!tree) {
      parser.reset();
      return undefined;
    }
    try {
      return toSymbols({ root: tree.rootNode, language, queries, file, source });
    } finally {
      tree.delete();
    }
  };
};

type Queries = { readonly definitions: Query; readonly identifiers: Query; readonly exportedNames: Query | undefined };
type LoadedLanguage = { readonly grammar: Language; readonly queries: Queries };

const load = async (language: CodeLanguage): Promise<LoadedLanguage> => {
  const home = path.dirname(createRequire(import.meta.url).resolve("@vscode/tree-sitter-wasm/package.json"));
  const grammar = await Language.load(path.join(home, "wasm", `tree-sitter-${language.grammar}.wasm`));
  return {
    grammar,
    queries: {
      definitions: new TreeQuery(grammar, language.definitions),
      identifiers: new TreeQuery(grammar, `[${language.identifiers.map((type) => `(${type})`).join(" ")}] @identifier`),
      exportedNames: language.exportedNames === undefined ? undefined : new TreeQuery(grammar, language.exportedNames),
    },
  };
};

type Source = {
  readonly root: Node;
  readonly language: CodeLanguage;
  readonly queries: Queries;
  readonly file: string;
  readonly source: string;
};

const toSymbols = (given: Source): SourceSymbols => {
  const { root, queries, source } = given;
  const found = findDefinitions(queries.definitions.matches(root));
  const names = new Set(
    queries.exportedNames
      ?.captures(root)
      .filter((capture) => capture.name === "name")
      .map((capture) => capture.node.text),
  );
  const definitions = describeAll(given, found, names);
  const uses = new Map<string, number[]>();
  for (const { node } of queries.identifiers.captures(root)) {
    const { startIndex, endIndex } = node;
    if (found.has(startIndex)) continue;
    const name = source.slice(startIndex, endIndex);
    const line = node.startPosition.row + 1;
    const lines = uses.get(name);
    if (!lines) uses.set(name, [line]);
    else if (lines.at(-1) !== line) lines.push(line);
  }
  return { definitions, uses };
};

type Captured = { readonly pattern: number; readonly kind: SymbolKind | "scope"; readonly nameNode: Node; readonly node: Node };

/** By where the name begins. */
const findDefinitions = (matches: readonly QueryMatch[]): ReadonlyMap<number, Captured> => {
  const found = new Map<number, Captured>();
  for (const { captures, patternIndex } of matches) {
    const nameNode = captures.find((capture) => capture.name === "name")?.node;
    const whole = captures.find(({ name }) => name === "scope" || SYMBOL_KINDS.has(name));
    if (!nameNode || !whole) continue;
    const before = found.get(nameNode.startIndex);
    if (before && before.pattern <= patternIndex) continue;
    // The only captures besides are kinds and the scope.
    const kind = whole.name as SymbolKind | "scope";
    found.set(nameNode.startIndex, { pattern: patternIndex, kind, nameNode, node: whole.node });
  }
  return found;
};

type Outer = {
  readonly node: Node;
  readonly end: number;
  readonly path: string;
  readonly kind: SymbolKind | "scope";
  readonly exported: boolean;
};

const describeAll = (given: Source, found: ReadonlyMap<number, Captured>, names: ReadonlySet<string>): readonly Definition[] => {
  const { language, file, source } = given;
  const inOrder = [...found.values()].toSorted(
    (a, b) =>
      a.node.startIndex - b.node.startIndex || b.node.endIndex - a.node.endIndex || a.nameNode.startIndex - b.nameNode.startIndex,
  );
  const definitions: Definition[] = [];
  const outers: Outer[] = [];
  for (const { kind, nameNode, node } of inOrder.slice(0, MAX_DEFINITIONS)) {
    const { startIndex, endIndex } = node;
    // Two names of one statement are beside each other, not inside.
    while (outers.length > 0 && ((outers.at(-1)?.end ?? 0) <= startIndex || outers.at(-1)?.node.equals(node) === true))
      outers.pop();
    const outer = outers.at(-1);
    const name = source.slice(nameNode.startIndex, nameNode.endIndex);
    const container = outer?.path ?? language.containerOf?.(node) ?? "";
    const inner = container === "" ? name : `${container}.${name}`;
    if (kind === "scope") {
      outers.push({ node, end: endIndex, path: inner, kind, exported: true });
      continue;
    }
    const definition: FoundDefinition = { name, kind, node, file, outer };
    const exported = language.isExported(definition, names);
    outers.push({ node, end: endIndex, path: inner, kind, exported });
    definitions.push({
      name,
      kind,
      line: nameNode.startPosition.row + 1,
      endLine: node.endPosition.row + 1,
      container,
      signature: toSignature(node, nameNode, source),
      exported,
      documented: language.isDocumented(definition),
    });
  }
  return definitions;
};

const toSignature = (node: Node, nameNode: Node, source: string): string => {
  const lineStart = source.lastIndexOf("\n", node.startIndex - 1) + 1;
  const lead = source.slice(lineStart, node.startIndex);
  const start = lead.length <= MAX_LEAD_CHARS && !/[{};,]/.test(lead) ? lineStart : node.startIndex;
  const body = node.childForFieldName("body") ?? node.childForFieldName("value")?.childForFieldName("body");
  const end = body && body.startIndex > nameNode.endIndex ? body.startIndex : node.endIndex;
  const text = source
    .slice(start, Math.min(end, start + 4 * MAX_SIGNATURE_CHARS))
    .replaceAll(/\s+/g, " ")
    .trim();
  return text.length > MAX_SIGNATURE_CHARS ? `${text.slice(0, MAX_SIGNATURE_CHARS).toWellFormed()}…` : text;
};
