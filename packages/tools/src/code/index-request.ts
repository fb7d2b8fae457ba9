/** What the thread that keeps the index is asked, and what it answers. */
import type { StoredDefinition } from "./symbol-store.ts";

export type SymbolSearch = {
  readonly query: string;
  readonly kind: "definitions" | "references" | "both";
  /** A file or folder, relative to the workspace with forward slashes; undefined for all. */
  readonly path: string | undefined;
  /** Name of a language. */
  readonly language: string | undefined;
  readonly limit: number;
};

export type FoundReferences = {
  readonly file: string;
  readonly lines: readonly { readonly number: number; readonly text: string }[];
};

export type SymbolsFound = {
  /** How the definitions were found. */
  readonly match: "exact" | "case" | "fragment" | "none";
  readonly definitions: readonly StoredDefinition[];
  readonly definitionCount: number;
  /** The names whose references were looked for. */
  readonly names: readonly string[];
  readonly references: readonly FoundReferences[];
  readonly referenceCount: number;
  readonly referenceFiles: number;
  /** False where there are more references than were counted. */
  readonly isWhole: boolean;
};

export type DocumentedFile = {
  readonly file: string;
  readonly exported: number;
  readonly missing: readonly Pick<StoredDefinition, "name" | "kind" | "line" | "container">[];
};

export type TermMatch = {
  readonly file: string;
  readonly term: string;
  /** Symbols of the file that have the term in their name. */
  readonly defines: readonly string[];
  /** On how many lines an identifier of just this name stands. */
  readonly usedOn: number;
};

export type IndexRequest =
  | { readonly type: "search"; readonly search: SymbolSearch }
  | { readonly type: "documented"; readonly path: string | undefined }
  /** Terms are in lower case; identifiers are names as they stand in code. */
  | { readonly type: "terms"; readonly terms: readonly string[]; readonly identifiers: readonly string[] };

export type IndexAnswers = {
  readonly search: SymbolsFound;
  readonly documented: readonly DocumentedFile[];
  readonly terms: readonly TermMatch[];
};

export type IndexState = {
  readonly files: number;
  /** Files that are still to be read; the answer does not know them. */
  readonly waiting: number;
  /** Files that have no symbols, since they are too large, generated or could not be parsed. */
  readonly leftOut: number;
  /** There are more source files than are indexed. */
  readonly isFull: boolean;
};

export type IndexAnswer<Type extends IndexRequest["type"]> = { readonly found: IndexAnswers[Type]; readonly state: IndexState };

/** What the two threads send each other. */
export type ToIndex = { readonly id: number; readonly request: IndexRequest };
export type FromIndex =
  | { readonly type: "answer"; readonly id: number; readonly answer: unknown }
  | { readonly type: "failed"; readonly id: number; readonly message: string }
  | { readonly type: "progress"; readonly done: number; readonly total: number };
