/**
 * What the symbol reader knows of a language: its grammar, a query that finds definitions in the tree, and how the language says that
 * something is exported or documented. A new language is one file that makes one of these.
 */
import type { Node } from "web-tree-sitter";
import type { SymbolKind } from "./code-symbol.ts";

/** A definition as the query found it, before it is described. */
export type FoundDefinition = {
  readonly name: string;
  readonly kind: SymbolKind;
  readonly node: Node;
  readonly file: string;
  /** The definition that it stands in. */
  readonly outer: { readonly exported: boolean; readonly kind: SymbolKind | "scope" } | undefined;
};

export type CodeLanguage = {
  readonly name: string;
  /** As in `tree-sitter-<grammar>.wasm`. */
  readonly grammar: string;
  /** With the dot, in lower case. */
  readonly extensions: readonly string[];
  /**
   * Patterns that capture the name of a definition as `@name` and the whole of it by its kind; the first pattern that captures a name
   * counts. `@scope` gives its name to what is inside and is no definition itself.
   */
  readonly definitions: string;
  /** Types of the nodes that are identifiers. */
  readonly identifiers: readonly string[];
  readonly isExported: (found: FoundDefinition, names: ReadonlySet<string>) => boolean;
  readonly isDocumented: (found: FoundDefinition) => boolean;
  /** Names that the file exports in a place of their own. */
  readonly exportedNames?: string;
  /** What a definition belongs to that does not stand in it. */
  readonly containerOf?: (node: Node) => string | undefined;
};
