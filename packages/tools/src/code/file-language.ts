/** What a file is written in, by its name: for counting, so that many more are known here than can be parsed. */
const NAMES: Readonly<Record<string, string>> = {
  Dockerfile: "Docker",
  Gemfile: "Ruby",
  Jenkinsfile: "Groovy",
  Makefile: "Make",
  Rakefile: "Ruby",
};

const ENDINGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    TypeScript: "ts tsx mts cts",
    JavaScript: "js jsx mjs cjs",
    Python: "py pyi",
    Go: "go",
    Rust: "rs",
    Java: "java",
    Kotlin: "kt kts",
    Scala: "scala",
    Groovy: "groovy gradle",
    "C#": "cs",
    "F#": "fs fsx",
    "C++": "cpp cc cxx hpp hh hxx ipp",
    C: "c h",
    "Objective-C": "m mm",
    Swift: "swift",
    Ruby: "rb rake gemspec erb",
    PHP: "php",
    Perl: "pl pm",
    Lua: "lua",
    R: "r",
    Julia: "jl",
    Dart: "dart",
    Elixir: "ex exs",
    Erlang: "erl hrl",
    Haskell: "hs",
    OCaml: "ml mli",
    Clojure: "clj cljs cljc",
    Zig: "zig",
    Shell: "sh bash zsh fish",
    PowerShell: "ps1 psm1",
    SQL: "sql",
    HTML: "html htm",
    CSS: "css scss sass less",
    Vue: "vue",
    Svelte: "svelte",
    Markdown: "md mdx markdown",
    Text: "txt rst adoc",
    JSON: "json jsonc json5",
    YAML: "yaml yml",
    TOML: "toml",
    XML: "xml xsd csproj props",
    Protobuf: "proto",
    GraphQL: "graphql gql",
    Terraform: "tf tfvars",
    Notebook: "ipynb",
  }).flatMap(([language, endings]) => endings.split(" ").map((ending) => [ending, language])),
);

/** Undefined for what is not known, or no text. */
export const fileLanguageOf = (file: string): string | undefined => {
  const name = file.slice(file.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return NAMES[name] ?? (dot < 0 ? undefined : ENDINGS.get(name.slice(dot + 1).toLowerCase()));
};
