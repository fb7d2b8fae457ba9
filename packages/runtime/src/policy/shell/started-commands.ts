/**
 * What a command of a line starts: itself, and what wrappers, shells, `eval` and searches start with the words they are given. Where that is not
 * understood, it says so.
 */
import path from "node:path";
import { GIT_COMMANDS, GIT_VALUED, isHarmlessGitSetting } from "./git-words.ts";
import { parseShellLine } from "./parse-shell-line.ts";
import type { ShellCommand, ShellWord } from "./shell-line.ts";
import { isWrapper, unwrap } from "./wrappers.ts";

export type Started = {
  /** The words of each command, the program without its folder. */
  readonly commands: readonly (readonly ShellWord[])[];
  /** It may start something that does not stand here. */
  readonly isUnclear: boolean;
};

const MOST_NESTED = 8;

type Found = { readonly commands: (readonly ShellWord[])[]; isUnclear: boolean; readonly writesFiles: boolean };

export const findStarted = (command: ShellCommand, line: readonly ShellCommand[]): Started => {
  const found: Found = { commands: [], isUnclear: false, writesFiles: line.some(writesFile) };
  followCommand(command, found, 0);
  return found;
};

/** Into a file, not to another output or to nothing. */
export const writesFile = ({ redirections }: ShellCommand): boolean =>
  redirections.some(
    ({ operator, target }) => /^(?:>>?|>\||<>|&>>?|>&)$/.test(operator) && !/^(?:\/dev\/null|\d+|-)$/.test(target.text),
  );

const followCommand = ({ assignments, words }: ShellCommand, found: Found, depth: number): void => {
  for (const { name, value } of assignments) followAssignment(name, value, found, depth);
  if (words.length > 0) followWords(words, found, depth);
};

/** The shell itself runs, expands or evaluates them. */
const READ_BY_SHELL = /^(?:BASH|PS\d|ENV$|PROMPT_COMMAND|SHELLOPTS$|COMP)/;

/** A program may run what a variable holds, as git does with a pager. */
const followAssignment = (name: string, value: ShellWord, found: Found, depth: number): void => {
  if (!/^\w+$/.test(name) || READ_BY_SHELL.test(name) || (value.kind === "literal" && /\$\(|`|\$\{/.test(value.text))) {
    found.isUnclear = true;
    return;
  }
  if (value.kind !== "literal" || depth >= MOST_NESTED) return;
  for (const inner of parseShellLine(value.text) ?? []) if (inner.words.length > 0) found.commands.push(toNamed(inner.words));
};

const toNamed = ([program, ...args]: readonly ShellWord[]): readonly ShellWord[] =>
  program === undefined ? [] : [{ ...program, text: path.posix.basename(program.text) }, ...args];

const followWords = (words: readonly ShellWord[], found: Found, depth: number): void => {
  const [program, ...args] = toNamed(words);
  if (program === undefined || program.kind !== "literal" || depth > MOST_NESTED) {
    found.isUnclear = true;
    return;
  }
  const { text: name } = program;
  found.commands.push([program, ...args]);
  if (isWrapper(name)) return followWrapper(name, args, found, depth);
  if (SHELL.test(name)) return followShell(args, found, depth);
  if (name === "eval") return followText(args, found, depth);
  if (name === "find" || name === "fd" || name === "fdfind") return followSearch(args, found, depth);
  if (name === "git") return followGit(args, found);
  if (name === "source" || name === ".") return followScript(args[0], found);
  if (DECLARES.test(name)) return followDeclaration(args, found, depth);
  if (isEvaluating(name, args)) found.isUnclear = true;
};

const followWrapper = (name: string, args: readonly ShellWord[], found: Found, depth: number): void => {
  if (name === "command" && /^-[vV]+$/.test(args[0]?.text ?? "")) return;
  const unwrapped = unwrap(name, args);
  if (!unwrapped) {
    found.isUnclear = true;
    return;
  }
  for (const { text, kind } of unwrapped.assigned) {
    const at = text.indexOf("=");
    followAssignment(text.slice(0, at), { text: text.slice(at + 1), kind }, found, depth);
  }
  // What xargs reads comes behind the words.
  const rest = name === "xargs" ? [...unwrapped.rest, { text: "$input", kind: "expansion" } as const] : unwrapped.rest;
  if (unwrapped.rest.length > 0) followWords(rest, found, depth + 1);
};

const SHELL = /^(?:r?bash|sh|dash|ash|zsh|[m]?ksh|fish|pwsh|csh|tcsh)$/;
const SHELL_FLAG = /^(?:-[elnuvx]+|--(?:norc|noprofile|login|posix))$/;

/** A text is read; a script is what a program does by itself. What comes by the input is not known. */
const followShell = (args: readonly ShellWord[], found: Found, depth: number): void => {
  let at = 0;
  while (args[at]?.kind === "literal" && SHELL_FLAG.test(args[at]?.text ?? "")) at += 1;
  if (args[at]?.kind === "literal" && args[at]?.text === "-o" && /^\w+$/.test(args[at + 1]?.text ?? "")) at += 2;
  const word = args[at];
  if (word?.kind === "literal" && /^-[elnuvx]*c$/.test(word.text)) return followText(args.slice(at + 1, at + 2), found, depth);
  if (word?.kind === "literal" && word.text === "--version") return;
  followScript(word, found);
};

const followScript = (script: ShellWord | undefined, found: Found): void => {
  if (script === undefined || script.kind !== "literal" || /^-|^\/dev\/|^\/proc\//.test(script.text) || found.writesFiles)
    found.isUnclear = true;
};

/** The words are a line of their own. */
const followText = (words: readonly ShellWord[], found: Found, depth: number): void => {
  const isKnown = words.length > 0 && words.every(({ kind }) => kind === "literal") && depth < MOST_NESTED;
  const inner = isKnown ? parseShellLine(words.map(({ text }) => text).join(" ")) : undefined;
  if (!inner) {
    found.isUnclear = true;
    return;
  }
  const inside: Found = { ...found, writesFiles: found.writesFiles || inner.some(writesFile) };
  for (const command of inner) followCommand(command, inside, depth + 1);
  found.isUnclear = inside.isUnclear;
};

const followSearch = (args: readonly ShellWord[], found: Found, depth: number): void => {
  for (let at = 0; at < args.length; at += 1) {
    const { text, kind } = args[at] ?? { text: "", kind: "expansion" };
    if (kind === "expansion" && at > 0) found.isUnclear = true;
    if (!/^-(?:exec|execdir|ok|okdir|x|X)$|^--exec/.test(text)) continue;
    const rest = args.slice(at + 1);
    const end = rest.findIndex((word) => word.text === ";" || word.text === "+");
    const inner = end < 0 ? rest : rest.slice(0, end);
    if (text.includes("=") || inner.length === 0) found.isUnclear = true;
    else followWords([...inner, { text: "$found", kind: "expansion" }], found, depth + 1);
  }
};

/** Its own options stand before the command. */
const followGit = (args: readonly ShellWord[], found: Found): void => {
  let at = 0;
  for (; at < args.length; at += 1) {
    const { text, kind } = args[at] ?? { text: "", kind: "expansion" };
    if (kind === "expansion" && !text.startsWith("-")) break;
    if (!text.startsWith("-")) break;
    if (text === "-c" || text === "--config-env") {
      at += 1;
      if (!isHarmlessGitSetting(args[at])) found.isUnclear = true;
    } else if (/^--(?:config-env|exec-path)=/.test(text)) found.isUnclear = true;
    else if (GIT_VALUED.has(text)) at += 1;
  }
  const rest = args.slice(at);
  if (at > 0) found.commands.push([{ text: "git", kind: "literal" }, ...rest]);
  const [command] = rest;
  // What git does not know by itself is an alias, or a program.
  if (command !== undefined && (command.kind !== "literal" || !GIT_COMMANDS.has(command.text))) found.isUnclear = true;
};

const DECLARES = /^(?:export|declare|typeset|local|readonly)$/;

const followDeclaration = (args: readonly ShellWord[], found: Found, depth: number): void => {
  for (const { text, kind } of args) {
    const [, name, , value = ""] = /^([A-Za-z_]\w*)(=([^]*))?$/.exec(text) ?? [];
    if (name !== undefined) followAssignment(name, { text: value, kind }, found, depth);
    else if (!/^-[xrgp]+$/.test(text)) found.isUnclear = true;
  }
};

/** Built-in commands of bash that run, evaluate or change the meaning of text. */
const EVALUATES =
  /^(?:alias|bind|compgen|complete|compopt|coproc|enable|fc|getopts|hash|history|let|mapfile|readarray|shopt|trap|unalias|parallel|ssh|su|runuser|script|watch|expect)$/;

const isEvaluating = (name: string, args: readonly ShellWord[]): boolean => {
  if (EVALUATES.test(name)) return true;
  const texts = args.map(({ text }) => text);
  switch (name) {
    case "set":
      return !texts.every((text) => /^[-+][eux]*o?$|^(?:pipefail|errexit|nounset)$/.test(text)) && texts[0] !== "--";
    case "read":
    case "unset":
      return args.some(({ text, kind }) => kind !== "literal" || !/^(?:-[rsnpdtuv]\d*|\w*)$/.test(text));
    case "printf":
    case "wait":
      return texts.some((text) => /^-[vp]/.test(text));
    case "test":
    case "[":
      return texts.some((text) => text === "-v" || text === "-R");
    default:
      return false;
  }
};
