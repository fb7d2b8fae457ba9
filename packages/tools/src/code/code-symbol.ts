/** What is known of the symbols of a source file. */

export type SymbolKind =
  | "class"
  | "constant"
  | "enum"
  | "export"
  | "function"
  | "interface"
  | "macro"
  | "method"
  | "module"
  | "property"
  | "struct"
  | "trait"
  | "type"
  | "variable";

export const SYMBOL_KINDS: ReadonlySet<string> = new Set<SymbolKind>([
  "class",
  "constant",
  "enum",
  "export",
  "function",
  "interface",
  "macro",
  "method",
  "module",
  "property",
  "struct",
  "trait",
  "type",
  "variable",
]);

export type Definition = {
  readonly name: string;
  readonly kind: SymbolKind;
  /** Counts from 1. */
  readonly line: number;
  readonly endLine: number;
  /** What it is in, outermost first, joined by dots; empty at the top of the file. */
  readonly container: string;
  /** What stands before its body, on one line. */
  readonly signature: string;
  /** Others may use it. */
  readonly exported: boolean;
  readonly documented: boolean;
};

/** Where an identifier stands that defines nothing, by its name. */
export type Uses = ReadonlyMap<string, readonly number[]>;

export type SourceSymbols = { readonly definitions: readonly Definition[]; readonly uses: Uses };
