/**
 * Reads the plainest kind of command line: simple commands of literal words, joined by `;`, `&&`, `||`, `|` or line breaks. Where a shell
 * could read anything else into it (expansions, redirections to files, odd separators, comments, background), it is not read at all.
 */

/** The words of each command, in order, with quotes taken off. */
export type PlainCommands = readonly (readonly string[])[];

/** Redirections that neither read nor write anything. */
const HARMLESS_REDIRECTION = /^(?:[12]?>>?[ \t]*\/dev\/null|2>&1|1>&2|>&2|&>[ \t]*\/dev\/null|<[ \t]*\/dev\/null)(?=[\s;&|]|$)/;
const SEPARATOR = /^(?:&&|\|\||;|\||\n)/;
/** Letters that mean themselves wherever they stand in a word. */
const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+/;
const SINGLE_QUOTED = /^'([^'\p{Cc}\p{Cf}]*)'/u;
/** Without `$`, backticks, backslashes and `!`. */
const DOUBLE_QUOTED = /^"([^"$`\\!\p{Cc}\p{Cf}]*)"/u;

/** Undefined: not plain. */
export const readPlainCommands = (line: string): PlainCommands | undefined => {
  const commands: string[][] = [];
  let words: string[] = [];
  /** What stands behind the latest separator must be a command. */
  let isOwed = false;
  let rest = line;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const found = pattern.exec(rest);
    if (found) rest = rest.slice(found[0].length);
    return found;
  };
  for (take(/^[ \t\n]+/); rest !== ""; ) {
    if (take(/^[ \t]+/)) continue;
    const separator = take(SEPARATOR)?.[0];
    if (separator !== undefined) {
      const isEmptyLine = separator === "\n" && words.length === 0;
      if (words.length === 0 && !isEmptyLine) return undefined;
      if (words.length > 0) commands.push(words);
      isOwed = isEmptyLine ? isOwed : separator !== ";" && separator !== "\n";
      words = [];
    } else if (words.length > 0 && take(HARMLESS_REDIRECTION)) continue;
    else {
      const word = takeWord(take);
      // What follows a word without a blank is part of it, or an operator.
      if (word === undefined || !/^(?:[\s;&|<>]|$)/.test(rest)) return undefined;
      // `2>file`: the digit belongs to the redirection.
      if (/^[<>]/.test(rest) && /^\d+$/.test(word)) return undefined;
      words.push(word);
      isOwed = false;
    }
  }
  if (words.length > 0) commands.push(words);
  return isOwed || commands.length === 0 ? undefined : commands;
};

const takeWord = (take: (pattern: RegExp) => RegExpExecArray | null): string | undefined => {
  let word: string | undefined;
  for (;;) {
    const part = take(PLAIN)?.[0] ?? take(SINGLE_QUOTED)?.[1] ?? take(DOUBLE_QUOTED)?.[1];
    if (part === undefined) return word;
    word = (word ?? "") + part;
  }
};
