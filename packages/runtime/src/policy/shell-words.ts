/**
 * Reads the plainest kind of command line: simple commands of literal words, joined by `;`, `&&`, `||`, `|` or line breaks. Where a shell
 * could read anything else into it (expansions, redirections to files, odd separators, comments, background), it is not read at all.
 */

/** The words of each command, in order, with quotes taken off. */
export type PlainCommands = readonly (readonly string[])[];

const BLANKS = /[ \t]+/y;
const SEPARATOR = /&&|\|\||;|\||\n/y;
/** Redirections that neither read nor write anything. */
/** To or from a file that the next word names. */
const FILE_REDIRECTION = /(?:[12]?>>?|<)(?![<>&(|])[ \t]*/y;
const HARMLESS_REDIRECTION = /(?:[12]?>>?[ \t]*\/dev\/null|2>&1|1?>&2|<[ \t]*\/dev\/null)(?=[ \t\n;&|]|$)/y;
/** Letters that mean themselves where they stand; a tilde does inside a word. */
const PLAIN = /(?:[A-Za-z0-9_@%+=:,./-]|(?<=[A-Za-z0-9_])~)+/y;
const SINGLE_QUOTED = /'([^'\p{Cc}\p{Cf}]*)'/uy;
/** Without `$`, backticks, backslashes and `!`. */
const DOUBLE_QUOTED = /"([^"$`\\!\p{Cc}\p{Cf}]*)"/uy;
/** What may follow a word without a blank between. */
const AFTER_WORD = /[ \t\n;&|<>]|$/y;

type Reader = {
  readonly isDone: () => boolean;
  readonly peek: (pattern: RegExp) => RegExpExecArray | null;
  readonly take: (pattern: RegExp) => RegExpExecArray | null;
  readonly takeWord: () => string | undefined;
};

const createReader = (line: string): Reader => {
  let at = 0;
  const peek = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(line);
  };
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const found = peek(pattern);
    at += found?.[0].length ?? 0;
    return found;
  };
  return {
    isDone: () => at === line.length,
    peek,
    take,
    /** Plain and quoted pieces without a blank between are one word. */
    takeWord: () => {
      let word: string | undefined;
      for (;;) {
        const piece = take(PLAIN)?.[0] ?? take(SINGLE_QUOTED)?.[1] ?? take(DOUBLE_QUOTED)?.[1];
        if (piece === undefined) return word;
        word = (word ?? "") + piece;
      }
    },
  };
};

export type PlainOptions = {
  /** Files may be read and written by redirection; their names are left out. */
  readonly redirections?: boolean;
};

/** Undefined: not plain. */
export const readPlainCommands = (line: string, { redirections = false }: PlainOptions = {}): PlainCommands | undefined => {
  const reader = createReader(line);
  const commands: string[][] = [];
  let words: string[] = [];
  /** Behind the latest separator a command has to stand. */
  let isOwed = false;
  while (!reader.isDone()) {
    if (reader.take(BLANKS)) continue;
    const separator = reader.take(SEPARATOR)?.[0];
    if (separator === "\n" && words.length === 0) continue;
    if (separator !== undefined) {
      if (words.length === 0) return undefined;
      commands.push(words);
      words = [];
      isOwed = separator !== ";" && separator !== "\n";
      continue;
    }
    if (words.length > 0 && reader.take(HARMLESS_REDIRECTION)) continue;
    if (words.length > 0 && redirections && reader.take(FILE_REDIRECTION)) {
      if (reader.takeWord() === undefined || !reader.peek(AFTER_WORD)) return undefined;
      continue;
    }
    const word = reader.takeWord();
    if (word === undefined || !reader.peek(AFTER_WORD)) return undefined;
    // `2>file`: the digit belongs to the redirection.
    if (/^\d+$/.test(word) && reader.peek(/[<>]/y)) return undefined;
    words.push(word);
    isOwed = false;
  }
  if (words.length > 0) commands.push(words);
  return isOwed || commands.length === 0 ? undefined : commands;
};
