/** What a question is about, as things to search for: quoted texts, paths, identifiers and the words that carry meaning. */
import { toStem } from "./stem.ts";
import { GENERIC_NOUNS, GENERIC_VERBS, STOP_WORDS } from "./word-lists.ts";

/**
 * `phrase` are two words that stand together, `weak` is what may help in ranking. `pattern` is a regular expression that means the same to
 * ripgrep and to JavaScript and holds nothing that could take long.
 */
export type Term = {
  readonly kind: "quoted" | "path" | "identifier" | "phrase" | "word" | "weak";
  readonly text: string;
  readonly pattern: string;
  readonly ignoreCase: boolean;
};

const TASK_TAGS: ReadonlySet<string> = new Set(["TODO", "FIXME", "XXX", "HACK", "BUG"]);
/** File names without an extension that people ask for. */
const BARE_FILES = "Dockerfile|Makefile|Gemfile|Rakefile|Procfile|LICENSE|CHANGELOG|README";
const PATH = new RegExp(
  String.raw`(?<![\w./-])(?:[\w.@~-]*\/[\w./@-]*[\w-]|(?:[\w-]+\.)+[a-z][a-z\d]{0,5}|\.[a-z][\w.-]+|(?:${BARE_FILES}))(?![\w/-])`,
  "g",
);
const IDENTIFIER =
  /(?<![\w$])(?:[a-z$_][\w$]*[A-Z][\w$]*|[A-Z][a-z\d]+(?:[A-Z][\w$]*)+|[A-Z]{2,}[a-z][\w$]*|[A-Za-z\d]+(?:_[A-Za-z\d]+)+|_+[A-Za-z]\w*|[A-Za-z]+(?:-[A-Za-z\d]+)+|[A-Z][A-Z\d]+|\w+(?=\(\)))(?![\w$])/g;

export const toTerms = (question: string): readonly Term[] => {
  let rest = question;
  const taken: Term[] = [];
  /** Takes what matches out of the text and leaves a break, so that no phrase goes across it. */
  const take = (pattern: RegExp, toTerm: (match: string) => Term | undefined): void => {
    rest = rest.replaceAll(pattern, (match) => {
      const term = toTerm(match);
      if (!term) return match;
      taken.push(term);
      return " . ";
    });
  };
  take(/"[^"\n]{1,200}"|`[^`\n]{1,200}`|(?<!\w)'[^'\n]{1,200}'(?!\w)|“[^”\n]{1,200}”/g, (match) =>
    toQuoted(match.slice(1, -1).trim()),
  );
  take(PATH, toPath);
  take(IDENTIFIER, toIdentifier);
  const words = toWords(rest);
  const strong = [...taken, ...words.filter((term) => term.kind !== "weak")];
  const weak = words.filter((term) => term.kind === "weak");
  return distinct([...strong, ...weak]);
};

/** The words that a compound name is made of, each on its own: for a second try. */
export const loosen = (terms: readonly Term[]): readonly Term[] => {
  const before = new Set(terms.map((term) => term.pattern));
  const compound = terms.filter((term) => term.kind === "identifier" || term.kind === "quoted");
  const parts = compound
    .flatMap((term) => splitParts(term.text))
    .filter((part) => part.length > 3 && !STOP_WORDS.has(part.toLowerCase()));
  return distinct(parts.map((part) => toWord(part))).filter((term) => !before.has(term.pattern));
};

export const matchesTerm = (term: Term, text: string): boolean => new RegExp(term.pattern, term.ignoreCase ? "i" : "").test(text);

export const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

const toQuoted = (text: string): Term | undefined =>
  text === "" ? undefined : { kind: "quoted", text, pattern: escapePattern(text), ignoreCase: true };

const toPath = (text: string): Term | undefined => {
  // "e.g.", "i.e." and versions look like file names.
  if (/^(?:e\.g|i\.e|etc|vs)\b|^[\d.]+$/i.test(text)) return undefined;
  return { kind: "path", text, pattern: escapePattern(text.replace(/^\.\//, "")), ignoreCase: true };
};

const toIdentifier = (text: string): Term | undefined => {
  if (TASK_TAGS.has(text)) return { kind: "identifier", text, pattern: String.raw`\b${text}\b`, ignoreCase: false };
  const lower = text.toLowerCase();
  if (STOP_WORDS.has(lower) || GENERIC_NOUNS.has(lower)) return undefined;
  // However it is written: runLoop, run_loop, run-loop.
  const pattern = splitParts(text).map(escapePattern).join("[_.-]?");
  return { kind: "identifier", text, pattern: lower.length < 4 ? String.raw`\b${pattern}\b` : pattern, ignoreCase: true };
};

const splitParts = (text: string): readonly string[] =>
  text
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .split(/[^A-Za-z\d]+/)
    .filter((part) => part !== "");

const toWord = (text: string, stemmed = true): Term => {
  const stem = stemmed ? toStem(text) : text.toLowerCase();
  // Short words are everywhere inside longer ones.
  const pattern = stem.length < 4 ? String.raw`\b${escapePattern(stem)}` : escapePattern(stem);
  return { kind: "word", text: text.toLowerCase(), pattern, ignoreCase: true };
};

const toWords = (text: string): readonly Term[] => {
  const terms: Term[] = [];
  let before: { readonly term: Term; readonly isStrong: boolean } | undefined;
  for (const token of text.match(/[\p{L}\d]+|[^\s\p{L}\d]/gu) ?? []) {
    const lower = token.toLowerCase();
    if (GENERIC_VERBS.has(lower)) terms.push({ ...toWord(lower), kind: "weak" });
    if (lower.length < 3 || !/\p{L}/u.test(lower) || STOP_WORDS.has(lower) || GENERIC_VERBS.has(lower)) {
      before = undefined;
      continue;
    }
    // "error codes" is more than "error", though "codes" alone is nothing.
    const word = { term: toWord(lower), isStrong: !GENERIC_NOUNS.has(lower) };
    if (word.isStrong) terms.push(word.term);
    if (before && (word.isStrong || before.isStrong)) terms.push(toPhrase(before.term, word.term));
    before = word;
  }
  return terms;
};

/** "rate limits" is also rateLimit, rate_limit and "rate limited". */
const toPhrase = (first: Term, second: Term): Term => ({
  kind: "phrase",
  text: `${first.text} ${second.text}`,
  pattern: String.raw`${first.pattern}\w{0,4}[\s_.-]{0,2}${second.pattern.replace(/^\\b/, "")}`,
  ignoreCase: true,
});

const STRENGTH: readonly Term["kind"][] = ["quoted", "identifier", "path", "phrase", "word", "weak"];

/** The most telling ones first. */
const distinct = (terms: readonly Term[]): readonly Term[] => {
  const seen = new Set<string>();
  return terms
    .toSorted((a, b) => STRENGTH.indexOf(a.kind) - STRENGTH.indexOf(b.kind))
    .filter((term) => !seen.has(term.pattern) && seen.add(term.pattern));
};
