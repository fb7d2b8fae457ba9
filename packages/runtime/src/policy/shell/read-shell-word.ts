/** Reads one word of bash: quotes, escapes, expansions. Commands in substitutions are read as commands of the line. */
import type { ShellCursor } from "./shell-cursor.ts";
import {
  createCursor,
  expectText,
  fail,
  isDone,
  nested,
  peek,
  requirePlain,
  startsWith,
  take,
  takePattern,
} from "./shell-cursor.ts";
import type { ShellWord } from "./shell-line.ts";

/** Reads commands until what ends them, which is left where it is. */
export type ReadList = (cursor: ShellCursor, ends: readonly string[]) => void;

type Draft = { text: string; kind: ShellWord["kind"]; isQuoted: boolean };

export type ReadWord = ShellWord & { readonly isQuoted: boolean };

const META = /[ \t\n;&|()<>]/;
const PATTERN_CHARACTERS = /[*?[\]{}~^!]/;

/** Undefined where no word begins. */
export const readShellWord = (cursor: ShellCursor, readList: ReadList): ReadWord | undefined => {
  const start = cursor.at;
  const draft: Draft = { text: "", kind: "literal", isQuoted: false };
  while (!isDone(cursor)) {
    const character = peek(cursor);
    if (startsWith(cursor, "<(") || startsWith(cursor, ">(")) {
      cursor.at += 2;
      readSubstitution(cursor, draft, readList);
    } else if (META.test(character)) break;
    else if (!readQuoted(cursor, draft, readList) && !readExpansion(cursor, draft, readList)) readPlain(cursor, draft);
  }
  if (cursor.at === start) return undefined;
  // Where the body of a here-document would begin is not certain.
  if (cursor.pending.length > 0 && cursor.source.slice(start, cursor.at).includes("\n")) fail();
  return { ...draft, kind: draft.kind === "pattern" && /^(?:(?:-\w+)?\{\}|\[|\])$/.test(draft.text) ? "literal" : draft.kind };
};

const append = (draft: Draft, text: string, kind: ShellWord["kind"] = "literal"): void => {
  draft.text += text;
  if (kind === "expansion" || draft.kind === "literal") draft.kind = kind;
};

const readPlain = (cursor: ShellCursor, draft: Draft): void => {
  const character = String.fromCodePoint(cursor.source.codePointAt(cursor.at) ?? 0);
  requirePlain(character);
  cursor.at += character.length;
  const isHome = character === "~" && draft.text === "" && !draft.isQuoted && (peek(cursor) === "/" || isDone(cursor));
  append(draft, character, !isHome && (PATTERN_CHARACTERS.test(character) || character > "\x7f") ? "pattern" : "literal");
};

const readQuoted = (cursor: ShellCursor, draft: Draft, readList: ReadList): boolean => {
  if (take(cursor, "\\\n")) return true;
  if (take(cursor, "\\")) {
    if (isDone(cursor)) fail();
    draft.isQuoted = true;
    append(draft, peek(cursor));
    cursor.at += 1;
    return true;
  }
  if (take(cursor, "'")) {
    const close = cursor.source.indexOf("'", cursor.at);
    if (close < 0) fail();
    draft.isQuoted = true;
    append(draft, cursor.source.slice(cursor.at, close));
    cursor.at = close + 1;
    return true;
  }
  if (take(cursor, "$'")) {
    draft.isQuoted = true;
    append(draft, readAnsi(cursor));
    return true;
  }
  if (take(cursor, '$"') || take(cursor, '"')) {
    draft.isQuoted = true;
    while (!take(cursor, '"')) readDoubleQuoted(cursor, draft, readList, '"');
    return true;
  }
  return false;
};

/** One piece of what stands between double quotes, or in the body of a here-document. */
const readDoubleQuoted = (cursor: ShellCursor, draft: Draft, readList: ReadList, escapable: string): void => {
  if (isDone(cursor)) fail();
  if (take(cursor, "\\\n")) return;
  if (startsWith(cursor, "\\") && `$\`\\${escapable}`.includes(cursor.source[cursor.at + 1] ?? "\n")) {
    append(draft, cursor.source[cursor.at + 1] ?? "");
    cursor.at += 2;
    return;
  }
  if (readExpansion(cursor, draft, readList)) return;
  append(draft, peek(cursor));
  cursor.at += 1;
};

/** The text of a here-document, in which expansions are made. */
export const readHereText = (cursor: ShellCursor, readList: ReadList): void => {
  const draft: Draft = { text: "", kind: "literal", isQuoted: true };
  while (!isDone(cursor)) readDoubleQuoted(cursor, draft, readList, "");
  if (cursor.pending.length > 0) fail();
};

const ANSI: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
};
const ANSI_PIECE = /\\([0-7]{1,3})|\\x([\da-fA-F]{1,2})|\\u([\da-fA-F]{1,4})|\\U([\da-fA-F]{1,8})|\\([abeEfnrtv\\'"?])|([^\\'])/y;

const readAnsi = (cursor: ShellCursor): string => {
  let text = "";
  while (!take(cursor, "'")) {
    const [, octal, hex, short, long, named, plain] = takePattern(cursor, ANSI_PIECE) ?? fail();
    const code = octal === undefined ? Number.parseInt(hex ?? short ?? long ?? "", 16) : Number.parseInt(octal, 8) & 0xff;
    // Above, bash makes bytes of some of them, and characters of others; at 0 the text ends.
    if (!Number.isNaN(code) && (code === 0 || code > 0x7f)) fail();
    text += plain ?? (named === undefined ? String.fromCharCode(code) : (ANSI[named] ?? fail()));
  }
  return text;
};

const NAME = /[A-Za-z_]\w*|\d|[@*#?$!-]/y;
/** Only numbers: a name could hold any text, which would be evaluated. */
const NUMBERS_ONLY = /[\d\s+*/%()<>=&|^~!?:-]*?\)\)/y;
const BRACED_NAME = /#?(?:[A-Za-z_]\w*(?:\[(?:[@*]|\d+)\])?|\d+|[@*?$#-])/y;
const BRACED_OPERATOR = /:?[-=+?]|##?|%%?|\/[/#%]?|\^\^?|,,?/y;
const SUBSTRING = /: ?-?\d+(?::\d+)?(?=\})/y;

const readExpansion = (cursor: ShellCursor, draft: Draft, readList: ReadList): boolean => {
  const start = cursor.at;
  const keep = (): true => {
    append(draft, cursor.source.slice(start, cursor.at), "expansion");
    return true;
  };
  if (take(cursor, "`")) {
    readBackticks(cursor, readList);
    return keep();
  }
  if (!startsWith(cursor, "$")) return false;
  // The shell joins the lines first, so that the next character belongs to the expansion.
  if (startsWith(cursor, "$\\\n")) fail();
  if (take(cursor, "$((")) {
    if (!takePattern(cursor, NUMBERS_ONLY)) fail();
    return keep();
  }
  if (take(cursor, "$(")) {
    readSubstitution(cursor, draft, readList);
    return true;
  }
  if (take(cursor, "${")) {
    if (!takePattern(cursor, BRACED_NAME)) fail();
    if (!takePattern(cursor, SUBSTRING) && takePattern(cursor, BRACED_OPERATOR))
      nested(cursor, () => readBraced(cursor, readList));
    expectText(cursor, "}");
    return keep();
  }
  cursor.at += 1;
  if (takePattern(cursor, NAME)) return keep();
  if (startsWith(cursor, "[")) fail();
  append(draft, "$");
  return true;
};

/** What stands in the place of a variable, up to the closing brace. */
const readBraced = (cursor: ShellCursor, readList: ReadList): void => {
  const draft: Draft = { text: "", kind: "literal", isQuoted: false };
  while (!startsWith(cursor, "}")) {
    if (isDone(cursor)) fail();
    if (readExpansion(cursor, draft, readList)) continue;
    // Quotes mean something else here inside of quotes.
    if (/['"\\<>()]/.test(peek(cursor))) fail();
    append(draft, peek(cursor));
    cursor.at += 1;
  }
};

/** Behind the opening parenthesis. */
const readSubstitution = (cursor: ShellCursor, draft: Draft, readList: ReadList): void => {
  const start = cursor.at;
  const before = cursor.pending.length;
  nested(cursor, () => readList(cursor, [")"]));
  if (cursor.pending.length !== before) fail();
  expectText(cursor, ")");
  append(draft, `$(${cursor.source.slice(start, cursor.at)}`, "expansion");
};

const readBackticks = (cursor: ShellCursor, readList: ReadList): void => {
  let inside = "";
  while (!take(cursor, "`")) {
    if (isDone(cursor)) fail();
    if (take(cursor, "\\")) inside += /[$`\\]/.test(peek(cursor)) ? "" : "\\";
    inside += peek(cursor);
    cursor.at += 1;
  }
  // In double quotes, one more escape is taken off.
  if (inside.includes('\\"')) fail();
  const inner = createCursor(inside, cursor);
  nested(inner, () => readList(inner, []));
  if (!isDone(inner) || inner.pending.length > 0) fail();
};
