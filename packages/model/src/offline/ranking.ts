/** Orders what a search found: definitions before uses, sources before tests before documents, files that say more of what was asked first. */
import { toStem } from "./stem.ts";
import type { Term } from "./terms.ts";
import { matchesTerm } from "./terms.ts";
import type { FoundLine } from "./tool-output.ts";

export type RankedFile = {
  readonly path: string;
  readonly score: number;
  /** The best first; empty where only the name of the file fits. */
  readonly lines: readonly FoundLine[];
};

export type Found = { readonly lines: readonly FoundLine[]; /** By their names. */ readonly paths: readonly string[] };

const WEIGHT: Record<Term["kind"], number> = { quoted: 6, identifier: 5, phrase: 5, path: 4, word: 2, weak: 0.5 };

export const rank = (found: Found, terms: readonly Term[]): readonly RankedFile[] => {
  const byFile = new Map<string, Map<number, FoundLine>>();
  const linesOf = (path: string): Map<number, FoundLine> => {
    const lines = byFile.get(path) ?? new Map<number, FoundLine>();
    byFile.set(path, lines);
    return lines;
  };
  for (const line of found.lines) linesOf(line.path).set(line.line, line);
  for (const path of found.paths) linesOf(path);
  const files = [...byFile].map(([path, lines]) => rankFile(path, [...lines.values()], terms));
  return files.toSorted((a, b) => b.score - a.score || compare(a.path, b.path));
};

const rankFile = (path: string, lines: readonly FoundLine[], terms: readonly Term[]): RankedFile => {
  const scored = lines.map((line) => ({ line, score: scoreLine(line.text, terms) }));
  scored.sort((a, b) => b.score - a.score || a.line.line - b.line.line);
  const matched = terms.filter((term) => lines.some((line) => matchesTerm(term, line.text)) || matchesTerm(term, path));
  const breadth = matched.reduce((sum, term) => sum + WEIGHT[term.kind] * 0.5, 0);
  const kind = kindOf(path);
  const named = scoreName(path, terms) * (kind === "source" ? 1 : 0.5);
  const volume = Math.min(3, Math.log2(1 + lines.length) * 0.6);
  const score = (scored[0]?.score ?? 0) + breadth + named + volume + KIND_SCORE[kind];
  return { path, score, lines: scored.map(({ line }) => line) };
};

const scoreLine = (text: string, terms: readonly Term[]): number => {
  const matched = terms.filter((term) => matchesTerm(term, text));
  return matched.reduce((sum, term) => sum + WEIGHT[term.kind] * fitOf(term, text), 0) + scoreForm(text, matched);
};

/** Definitions of what is looked for count most, those at the top of a file more than locals; imports only lead elsewhere. */
const scoreForm = (text: string, matched: readonly Term[]): number => {
  const name = definedName(text);
  // "mod name;" says where the definition is, as an import does.
  if (/^\s*(?:pub\s+)?mod\s+\w+;/.test(text)) return -2;
  if (name === undefined) return /^\s*(?:import|from|use|using|require|#include|export \{|\} from)\b/.test(text) ? -2 : 0;
  const fit = Math.max(0, ...matched.filter((term) => matchesTerm(term, name)).map((term) => fitOf(term, name)));
  const isLocal = /^\s+(?:const|let|var|val)\b/.test(text);
  return (isLocal ? 1 : 5) * fit + (/\b(?:function|class|def|fn|func)\b|=>/.test(text) ? 1 : 0) + (/^\s/.test(text) ? 0 : 1);
};

/** A word that is only the beginning or the middle of another one counts half: "loop" in "loopback". */
const fitOf = (term: Term, text: string): number => {
  if (term.kind !== "word" && term.kind !== "weak") return 1;
  const stem = toStem(term.text);
  const parts = text
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u);
  const isWhole = parts.some((part) => part.startsWith(stem) && (part.length - stem.length <= 3 || toStem(part) === stem));
  return isWhole ? 1 : 0.5;
};

const NAMED =
  /^\s*(?:(?:export|default|declare|public|private|protected|internal|static|abstract|async|final|override|readonly|unsafe|extern|pub(?:\([^)]*\))?)\s+)*(?:function\*?|class|interface|type|enum|const|let|var|val|def|fn|func(?:\s*\([^)]*\))?|struct|trait|impl|mod|module|namespace|record|object|protocol|macro_rules!)\s+([\w$]+)/;
const METHOD =
  /^\s*(?:(?:public|private|protected|static|async|readonly|override|get|set)\s+)*#?([A-Za-z_$][\w$]*)\s*(?:\([^()]*\)\s*(?::[^={]+)?\{|[:=]\s*(?:async\s*)?(?:function\b|\([^()]*\)[^=]*=>))/;
const HEADING = /^#{1,6}\s+(.+)$/;

/** "function will catch it" and "function returns `None` nothing" are sentences. */
const PROSE =
  /^\s*(?:function|class|type|module|object|record|protocol|interface|mod|enum|struct)\s+\w+\s+(?!extends|implements|for|where|struct|interface|func|map|chan|with)(?:[a-z]+\s+[a-z]+\b|`)/;

/** The name that a line gives to something, if it looks like a definition in any of the usual languages. */
export const definedName = (text: string): string | undefined => {
  if (PROSE.test(text)) return undefined;
  const name = NAMED.exec(text)?.[1] ?? METHOD.exec(text)?.[1] ?? HEADING.exec(text)?.[1];
  return name !== undefined && /^(?:if|for|while|switch|catch|return|with)$/.test(name) ? undefined : name;
};

const scoreName = (path: string, terms: readonly Term[]): number => {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const stem = name.replace(/\..*$/, "");
  const scores = terms.map((term) => {
    if (term.kind === "weak" || !matchesTerm(term, name)) return 0;
    const isAll = new RegExp(String.raw`^(?:${term.pattern})\w{0,3}$`, "i").test(stem);
    const isFirst = new RegExp(String.raw`^(?:${term.pattern})`, "i").test(stem);
    return (isAll ? 4 : isFirst ? 3 : 1.5) * fitOf(term, stem);
  });
  return Math.max(0, ...scores);
};

export type FileKind = "source" | "test" | "config" | "docs" | "generated";

const KIND_SCORE: Record<FileKind, number> = { source: 0, config: -2, test: -4, docs: -5, generated: -10 };

export const kindOf = (path: string): FileKind => {
  if (/(?:^|\/)(?:dist|build|out|vendor|generated|third_party)\/|\.min\.|\.map$|(?:-lock|\.lock)\b|\.(?:svg|snap)$/.test(path))
    return "generated";
  if (/(?:^|\/)(?:tests?|__tests__|spec|e2e|fixtures?|testing)\/|[._-](?:test|spec)s?\.[^/]+$|(?:^|\/)test_[^/]+$/.test(path))
    return "test";
  if (/\.(?:md|mdx|markdown|rst|adoc|txt)$|(?:^|\/)(?:docs?|documentation)\//i.test(path)) return "docs";
  if (/\.(?:json|jsonc|ya?ml|toml|ini|cfg|conf|env|properties)$/.test(path)) return "config";
  return "source";
};

/** A source of the project itself, rather than an example, a benchmark or a script beside it. */
export const isOwnSource = (path: string): boolean =>
  kindOf(path) === "source" && !/(?:^|\/)(?:examples?|samples?|demos?|bench\w*|scripts?|contrib|website)\//.test(path);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
