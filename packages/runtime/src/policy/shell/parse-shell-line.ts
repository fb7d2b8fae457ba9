/**
 * Reads a line of bash by its grammar, and gives every simple command in it: in lists, pipelines, loops, conditions, functions and substitutions. It is
 * stricter than bash: what it does not know for certain to read as bash does, it does not read at all.
 */
import type { ReadWord } from "./read-shell-word.ts";
import { readHereText, readShellWord } from "./read-shell-word.ts";
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
import type { ShellAssignment, ShellCommand, ShellRedirection, ShellWord } from "./shell-line.ts";
import { NotUnderstood } from "./shell-line.ts";

const MOST_CHARACTERS = 50_000;

/** Undefined: what it runs cannot be told. */
export const parseShellLine = (line: string): readonly ShellCommand[] | undefined => {
  if (line.length > MOST_CHARACTERS || line.includes("\0")) return undefined;
  const cursor = createCursor(line);
  try {
    readList(cursor, []);
    return isDone(cursor) && cursor.pending.length === 0 && cursor.commands.length > 0 ? cursor.commands : undefined;
  } catch (thrown) {
    if (thrown instanceof NotUnderstood) return undefined;
    throw thrown;
  }
};

/** Up to one of the ends, or to the end of the line. A list may be empty only where it is the whole. */
const readList = (cursor: ShellCursor, ends: readonly string[]): void => {
  for (;;) {
    skipBlankLines(cursor);
    if (isDone(cursor) || isAtEnd(cursor, ends) || startsWith(cursor, ";;")) return;
    readPipeline(cursor);
    skipBlanks(cursor);
    if (take(cursor, "&&") || take(cursor, "||")) {
      skipBlankLines(cursor);
      if (isDone(cursor) || isAtEnd(cursor, ends)) fail();
      continue;
    }
    if (startsWith(cursor, ";;") || startsWith(cursor, ";&")) return;
    if (take(cursor, ";") || take(cursor, "&") || startsWith(cursor, "\n") || isDone(cursor)) continue;
    if (isAtEnd(cursor, ends)) return;
    fail();
  }
};

/** A reserved word ends a list only where a command could begin; a parenthesis does everywhere. */
const isAtEnd = (cursor: ShellCursor, ends: readonly string[]): boolean =>
  ends.some((end) => startsWith(cursor, end) && (/^\W+$/.test(end) || isReserved(cursor, end)));

const readPipeline = (cursor: ShellCursor): void => {
  for (let isPiped = false; ; isPiped = true) {
    const before = cursor.commands.length;
    skipBlanks(cursor);
    while (takeReserved(cursor, "!") || takeReserved(cursor, "time")) {
      skipBlanks(cursor);
      takePattern(cursor, /-p(?=[ \t\n])/y);
      skipBlanks(cursor);
    }
    nested(cursor, () => readCommand(cursor));
    if (isPiped) cursor.commands.push(...cursor.commands.splice(before).map((command) => ({ ...command, isPiped })));
    skipBlanks(cursor);
    if (startsWith(cursor, "||") || !(take(cursor, "|&") || take(cursor, "|"))) return;
    skipBlankLines(cursor);
  }
};

const readCommand = (cursor: ShellCursor): void => {
  if (startsWith(cursor, "((")) fail();
  if (take(cursor, "(")) {
    readBody(cursor, [")"]);
    expectText(cursor, ")");
    return readRedirections(cursor);
  }
  if (takeReserved(cursor, "{")) {
    readBody(cursor, ["}"]);
    takeExpected(cursor, "}");
    return readRedirections(cursor);
  }
  if (takeReserved(cursor, "if")) return readIf(cursor);
  if (takeReserved(cursor, "while") || takeReserved(cursor, "until")) {
    readBody(cursor, ["do"]);
    return readLoopBody(cursor);
  }
  if (takeReserved(cursor, "for") || takeReserved(cursor, "select")) return readFor(cursor);
  if (takeReserved(cursor, "case")) return readCase(cursor);
  if (takeReserved(cursor, "[[")) return readCondition(cursor);
  if (takeReserved(cursor, "function")) {
    skipBlanks(cursor);
    if (!takePattern(cursor, FUNCTION_NAME)) fail();
    skipBlanks(cursor);
    takePattern(cursor, /\([ \t]*\)/y);
    return readFunctionBody(cursor);
  }
  if (takePattern(cursor, FUNCTION_HEAD)) return readFunctionBody(cursor);
  readSimple(cursor);
};

const FUNCTION_NAME = /[A-Za-z_][\w.:-]*(?=[ \t\n({])/y;
const FUNCTION_HEAD = /[A-Za-z_][\w.:-]*[ \t]*\([ \t]*\)/y;

const readFunctionBody = (cursor: ShellCursor): void => {
  skipBlankLines(cursor);
  if (!startsWith(cursor, "(") && !isReserved(cursor, "{")) fail();
  readCommand(cursor);
};

const readBody = (cursor: ShellCursor, ends: readonly string[]): void => {
  const before = cursor.commands.length;
  readList(cursor, ends);
  if (cursor.commands.length === before) fail();
};

const readIf = (cursor: ShellCursor): void => {
  readBody(cursor, ["then"]);
  takeExpected(cursor, "then");
  readBody(cursor, ["elif", "else", "fi"]);
  if (takeReserved(cursor, "elif")) return readIf(cursor);
  if (takeReserved(cursor, "else")) readBody(cursor, ["fi"]);
  takeExpected(cursor, "fi");
  readRedirections(cursor);
};

const readLoopBody = (cursor: ShellCursor): void => {
  takeExpected(cursor, "do");
  readBody(cursor, ["done"]);
  takeExpected(cursor, "done");
  readRedirections(cursor);
};

const readFor = (cursor: ShellCursor): void => {
  skipBlanks(cursor);
  const name = takePattern(cursor, /[A-Za-z_]\w*(?=[ \t\n;])/y)?.[0] ?? fail();
  // They change what the commands behind them mean.
  if (/^(?:PATH|IFS|HOME|ENV|SHELL|PS\d|BASH\w*|LD_\w+|GIT_\w+)$/.test(name)) fail();
  skipBlankLines(cursor);
  if (takeReserved(cursor, "in")) {
    do skipBlanks(cursor);
    while (readShellWord(cursor, readList));
  }
  skipBlanks(cursor);
  take(cursor, ";");
  skipBlankLines(cursor);
  readLoopBody(cursor);
};

const readCase = (cursor: ShellCursor): void => {
  skipBlanks(cursor);
  requireWord(cursor);
  skipBlankLines(cursor);
  takeExpected(cursor, "in");
  for (;;) {
    skipBlankLines(cursor);
    if (takeReserved(cursor, "esac")) return readRedirections(cursor);
    take(cursor, "(");
    do {
      skipBlanks(cursor);
      requireWord(cursor);
      skipBlanks(cursor);
    } while (take(cursor, "|"));
    expectText(cursor, ")");
    readList(cursor, ["esac"]);
    if (!(take(cursor, ";;&") || take(cursor, ";;") || take(cursor, ";&")) && !isReserved(cursor, "esac")) fail();
  }
};

/** They read numbers, which may be any text that is evaluated, or patterns in a syntax of their own. */
const EVALUATING_TEST = /^(?:-(?:eq|ne|lt|le|gt|ge|v|R)|=~)$/;

const readCondition = (cursor: ShellCursor): void => {
  for (;;) {
    skipBlankLines(cursor);
    if (takeReserved(cursor, "]]")) return readRedirections(cursor);
    if (
      take(cursor, "&&") ||
      take(cursor, "||") ||
      take(cursor, "(") ||
      take(cursor, ")") ||
      takePattern(cursor, /[<>](?=[ \t])/y)
    )
      continue;
    if (EVALUATING_TEST.test(requireWord(cursor).text)) fail();
  }
};

const ASSIGNMENT = /([A-Za-z_]\w*)(\[\d+\])?\+?=/y;

const readSimple = (cursor: ShellCursor): void => {
  const start = cursor.at;
  const assignments: ShellAssignment[] = [];
  const words: ShellWord[] = [];
  const redirections: ShellRedirection[] = [];
  let end = start;
  for (;;) {
    // A comment behind it is no part of it.
    end = cursor.at;
    skipBlanks(cursor);
    const redirection = readRedirection(cursor);
    if (redirection) {
      redirections.push(redirection);
      continue;
    }
    const assigned = words.length === 0 ? takePattern(cursor, ASSIGNMENT) : undefined;
    if (assigned) {
      assignments.push({ name: assigned[1] ?? "", value: readValue(cursor) });
      continue;
    }
    const word = readShellWord(cursor, readList);
    if (!word) break;
    // A keyword that is not where it belongs, and one that is not read here.
    if (words.length === 0 && !word.isQuoted && RESERVED.has(word.text)) fail();
    words.push({ text: word.text, kind: word.kind });
  }
  if (words.length === 0 && assignments.length === 0 && redirections.length === 0) fail();
  cursor.commands.push({ text: cursor.source.slice(start, end).trim(), assignments, words, redirections, isPiped: false });
};

const RESERVED: ReadonlySet<string> = new Set(
  "if then elif else fi for while until do done case esac select function in { } [[ ]] ! coproc time".split(" "),
);

const readValue = (cursor: ShellCursor): ShellWord => {
  if (!take(cursor, "(")) {
    const word = readShellWord(cursor, readList);
    return { text: word?.text ?? "", kind: word?.kind ?? "literal" };
  }
  const start = cursor.at;
  let kind: ShellWord["kind"] = "literal";
  for (;;) {
    skipBlankLines(cursor);
    if (take(cursor, ")")) return { text: cursor.source.slice(start, cursor.at - 1), kind };
    if (requireWord(cursor).kind !== "literal") kind = "expansion";
  }
};

const OPERATOR = /(?:\d{1,3})?(<<<|<<-|<<|<&|<>|<|>>|>&|>\||>)(?!\()|(&>>|&>)/y;

const readRedirection = (cursor: ShellCursor): ShellRedirection | undefined => {
  const found = takePattern(cursor, OPERATOR);
  if (!found) return undefined;
  const operator = found[1] ?? found[2] ?? "";
  skipBlanks(cursor);
  if (operator !== "<<" && operator !== "<<-") return { operator, target: requireWord(cursor) };
  const start = cursor.at;
  const word = requireWord(cursor);
  if (word.kind === "expansion" || cursor.source.slice(start, cursor.at).includes("\n")) fail();
  const redirection = { operator, target: { text: "", kind: word.isQuoted ? "literal" : "expansion" } satisfies ShellWord };
  cursor.pending.push({ delimiter: word.text, isQuoted: word.isQuoted, stripsTabs: operator === "<<-", redirection });
  return redirection;
};

/** Behind a compound command. They hold for all that is in it, so that they are told as a command of their own. */
const readRedirections = (cursor: ShellCursor): void => {
  const start = cursor.at;
  const redirections: ShellRedirection[] = [];
  for (;;) {
    skipBlanks(cursor);
    const redirection = readRedirection(cursor);
    if (!redirection) break;
    redirections.push(redirection);
  }
  const text = cursor.source.slice(start, cursor.at).trim();
  if (redirections.length > 0) cursor.commands.push({ text, assignments: [], words: [], redirections, isPiped: false });
};

const requireWord = (cursor: ShellCursor): ReadWord => readShellWord(cursor, readList) ?? fail();

/** Whether it stands here as a word of its own. */
const isReserved = (cursor: ShellCursor, word: string): boolean =>
  startsWith(cursor, word) && /^[ \t\n;&|()<>]?$/.test(cursor.source.slice(cursor.at + word.length, cursor.at + word.length + 1));

const takeReserved = (cursor: ShellCursor, word: string): boolean => isReserved(cursor, word) && take(cursor, word);

const takeExpected = (cursor: ShellCursor, word: string): void => {
  if (!takeReserved(cursor, word)) fail();
};

/** Also past continued lines and comments. */
const skipBlanks = (cursor: ShellCursor): void => {
  for (;;) {
    if (take(cursor, " ") || take(cursor, "\t") || take(cursor, "\\\n")) continue;
    if (peek(cursor) !== "#") return;
    const end = cursor.source.indexOf("\n", cursor.at);
    const comment = cursor.source.slice(cursor.at, end < 0 ? undefined : end);
    for (const character of comment) requirePlain(character);
    cursor.at += comment.length;
  }
};

const skipBlankLines = (cursor: ShellCursor): void => {
  for (;;) {
    skipBlanks(cursor);
    if (!take(cursor, "\n")) return;
    for (const document of cursor.pending.splice(0)) readHereDocument(cursor, document);
  }
};

const readHereDocument = (cursor: ShellCursor, document: ShellCursor["pending"][number]): void => {
  const { delimiter, isQuoted, stripsTabs, redirection } = document;
  let body = "";
  for (;;) {
    if (isDone(cursor)) fail();
    const end = cursor.source.indexOf("\n", cursor.at);
    const line = cursor.source.slice(cursor.at, end < 0 ? undefined : end);
    cursor.at = end < 0 ? cursor.source.length : end + 1;
    if ((stripsTabs ? line.replace(/^\t+/, "") : line) === delimiter) break;
    // The shell joins it with the next one, and the delimiter may come of both.
    if (!isQuoted && line.endsWith("\\")) fail();
    body += `${line}\n`;
  }
  redirection.target = { ...redirection.target, text: body };
  if (!isQuoted) readHereText(createCursor(body, cursor), readList);
};
