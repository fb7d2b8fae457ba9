/** Which files are documents, and of what kind, told by their names. */
import path from "node:path";

export type DocumentKind = "markdown" | "html" | "pdf" | "text" | "source";

const EXTENSIONS: Readonly<Record<DocumentKind, string>> = {
  markdown: "md markdown mdx mdown",
  html: "html htm xhtml",
  pdf: "pdf",
  text: "txt text rst adoc asciidoc org log tex csv tsv",
  source:
    "ts tsx mts cts js jsx mjs cjs py pyi rb go rs java kt kts scala c h cc cpp cxx hpp cs fs swift m mm php pl lua r jl dart ex exs erl " +
    "hs ml clj el lisp sh bash zsh fish ps1 sql graphql proto css scss less vue svelte json jsonc yaml yml toml ini cfg xml tf nix zig",
};

const KINDS: ReadonlyMap<string, DocumentKind> = new Map(
  (Object.entries(EXTENSIONS) as [DocumentKind, string][]).flatMap(([kind, names]) =>
    names.split(" ").map((name) => [name, kind] as const),
  ),
);

const PLAIN_NAMES: ReadonlySet<string> = new Set([
  "readme",
  "license",
  "licence",
  "copying",
  "notice",
  "authors",
  "changelog",
  "todo",
  "makefile",
  "dockerfile",
]);

/** Undefined for what is no document. */
export const toDocumentKind = (file: string): DocumentKind | undefined => {
  const extension = path.extname(file).slice(1).toLowerCase();
  return extension === "" ? (PLAIN_NAMES.has(path.basename(file).toLowerCase()) ? "text" : undefined) : KINDS.get(extension);
};
