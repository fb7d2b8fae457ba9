/**
 * Code in colours, a line at a time: comments, strings, numbers and keywords of the languages that agents mostly write. What begins in one line and ends in a
 * later one is carried over, so that lines can be drawn as they come. A language that is not known is left as it is.
 */
import type { Row, Span, Style } from "../screen/row.ts";

export type Highlighter = {
  /** The line as spans; they hold the very characters of the line. */
  readonly line: (text: string) => Row;
};

type Language = {
  /** Finds the next token; the groups say what it is. */
  readonly token: RegExp;
  readonly keywords: ReadonlySet<string>;
  /** What goes on over lines: how it begins, how it ends, what it is. */
  readonly blocks: readonly { readonly from: string; readonly to: string; readonly style: Style }[];
};

/** Longer lines are not looked through: nobody wrote them to be read. */
const MOST_CHARS = 2_000;

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const STRINGS = String.raw`"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?`;
const NUMBER = String.raw`\b(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\w*`;
const WORD = String.raw`[$A-Z_a-z][\w$-]*`;

const tokenOf = ({
  comment,
  strings = STRINGS,
  word = WORD,
}: {
  readonly comment: string;
  readonly strings?: string;
  readonly word?: string;
}): RegExp => new RegExp(`(?<comment>${comment})|(?<string>${strings})|(?<number>${NUMBER})|(?<word>${word})`, "g");

const PLAIN_WORD = String.raw`[$A-Z_a-z][\w$]*`;
const SLASHES = { from: "/*", to: "*/", style: "comment" } as const;

const C_LIKE: Language = {
  token: tokenOf({ comment: String.raw`//.*`, word: PLAIN_WORD }),
  keywords: words(
    "abstract any as async await bool boolean break byte case catch chan char class const constructor continue crate debugger declare default defer delete do double dyn else enum export extends extern false final finally float fn for from func function get go goto if impl implements import in infer instanceof int interface is keyof let long loop match mod module move mut namespace new nil null number object of override package private protected pub public range readonly ref return satisfies select self set short signed static string struct super switch this throw throws trait true try type typeof undefined union unsafe unsigned use using val var void volatile where while with yield",
  ),
  blocks: [SLASHES, { from: "`", to: "`", style: "string" }],
};

const PYTHON: Language = {
  token: tokenOf({ comment: "#.*", word: PLAIN_WORD }),
  keywords: words(
    "False None True and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield",
  ),
  blocks: [
    { from: '"""', to: '"""', style: "string" },
    { from: "'''", to: "'''", style: "string" },
  ],
};

const RUBY: Language = {
  token: tokenOf({ comment: "#.*", word: PLAIN_WORD }),
  keywords: words(
    "alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield require",
  ),
  blocks: [],
};

const SHELL: Language = {
  token: tokenOf({ comment: String.raw`(?<![\w$])#.*` }),
  keywords: words(
    "case do done elif else esac export fi for function if in local return select set source then unset until while cd echo exit sudo",
  ),
  blocks: [],
};

const SQL: Language = {
  token: tokenOf({ comment: "--.*", word: PLAIN_WORD }),
  keywords: words(
    "add all alter and as asc between by case check column constraint create default delete desc distinct drop else end exists foreign from full group having in index inner insert into is join key left like limit not null offset on or order outer primary references returning right select set table then union unique update using values view when where with",
  ),
  blocks: [SLASHES],
};

const DATA: Language = {
  token: tokenOf({ comment: String.raw`(?<!\S)#.*|//.*` }),
  keywords: words("true false null yes no on off"),
  blocks: [],
};

const MARKUP: Language = {
  token: tokenOf({ comment: "(?!)", word: String.raw`(?<=<\/?)[A-Za-z][\w:-]*` }),
  keywords: new Set(),
  blocks: [{ from: "<!--", to: "-->", style: "comment" }],
};

const CSS: Language = {
  token: tokenOf({ comment: "(?!)", word: String.raw`@[\w-]+|--[\w-]+|[\w-]+(?=\s*:)` }),
  keywords: new Set(),
  blocks: [SLASHES],
};

const NAMED: Readonly<Record<string, Language>> = Object.fromEntries(
  (
    [
      [
        C_LIKE,
        "ts tsx js jsx mjs cjs mts cts typescript javascript java c h cc cpp hpp c++ cs csharp go golang rs rust swift kt kotlin scala php dart zig",
      ],
      [PYTHON, "py python pyi"],
      [RUBY, "rb ruby"],
      [SHELL, "sh bash zsh shell console fish dockerfile make makefile"],
      [SQL, "sql postgres sqlite"],
      [DATA, "json jsonc json5 yaml yml toml ini env conf"],
      [MARKUP, "html xml svg vue svelte"],
      [CSS, "css scss less"],
    ] as const
  ).flatMap(([language, names]) => names.split(" ").map((name) => [name, language])),
);

/** Undefined where the language is not known. Of a file, by what stands after its last dot. */
export const createHighlighter = (name: string): Highlighter | undefined => {
  const language = Object.hasOwn(NAMED, name.toLowerCase()) ? NAMED[name.toLowerCase()] : undefined;
  if (!language) return undefined;
  let open: Language["blocks"][number] | undefined;

  const tokens = (text: string): readonly Span[] => {
    const spans: Span[] = [];
    let at = 0;
    for (const found of text.matchAll(language.token)) {
      const style = styleOf(found.groups ?? {}, language);
      if (style === undefined) continue;
      if (found.index > at) spans.push({ text: text.slice(at, found.index) });
      spans.push({ text: found[0], style });
      at = found.index + found[0].length;
    }
    if (at < text.length) spans.push({ text: text.slice(at) });
    return spans;
  };

  /** Where the first block begins that does not stand in a comment or a string. */
  const nextBlock = (text: string): { readonly at: number; readonly block: Language["blocks"][number] } | undefined => {
    const taken = [...text.matchAll(language.token)].filter(
      ({ groups }) => (groups?.["comment"] ?? groups?.["string"]) !== undefined,
    );
    const isFree = (at: number, from: string): boolean =>
      !taken.some(({ index, 0: token }) => at > index && at < index + token.length) || from.length === 3;
    return language.blocks
      .map((block) => ({ at: text.indexOf(block.from), block }))
      .filter(({ at, block }) => at >= 0 && isFree(at, block.from))
      .toSorted((a, b) => a.at - b.at)[0];
  };

  const line = (text: string): readonly Span[] => {
    if (open) {
      const end = text.indexOf(open.to);
      if (end < 0) return text === "" ? [] : [{ text, style: open.style }];
      const head: Span = { text: text.slice(0, end + open.to.length), style: open.style };
      const rest = text.slice(head.text.length);
      open = undefined;
      return [head, ...line(rest)];
    }
    const found = nextBlock(text);
    if (!found) return tokens(text);
    const { at, block } = found;
    const end = text.indexOf(block.to, at + block.from.length);
    if (end < 0) open = block;
    const stop = end < 0 ? text.length : end + block.to.length;
    return [
      ...tokens(text.slice(0, at)),
      { text: text.slice(at, stop), style: block.style },
      ...(end < 0 ? [] : line(text.slice(stop))),
    ];
  };

  return { line: (text) => (text.length > MOST_CHARS ? [{ text }] : line(text)) };
};

const styleOf = (groups: Readonly<Record<string, string | undefined>>, language: Language): Style | undefined => {
  if (groups["comment"] !== undefined) return "comment";
  if (groups["string"] !== undefined) return "string";
  if (groups["number"] !== undefined) return "number";
  const word = groups["word"] ?? "";
  if (language === MARKUP || language === CSS) return "keyword";
  return language.keywords.has(language === SQL ? word.toLowerCase() : word) ? "keyword" : undefined;
};
