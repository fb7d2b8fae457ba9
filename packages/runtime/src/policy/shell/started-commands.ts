/**
 * What a command of a line starts: itself, and what wrappers, shells, `eval` and searches start with the words they are given. Where that is not
 * understood, it says so.
 */
import path from "node:path";
import { GIT_COMMANDS, GIT_VALUED, isHarmlessGitConfig, isHarmlessGitSetting } from "./git-words.ts";
import { isInputFile, isInterpreter, runsUnclearText } from "./interpreters.ts";
import { isDataOnly, takesSubcommands } from "./known-programs.ts";
import { findWritten, isFedBy, mayWriteRepository, setsPath } from "./line-files.ts";
import { parseShellLine } from "./parse-shell-line.ts";
import { isEmbedded, isRunner, SHELL } from "./runners.ts";
import type { ShellCommand, ShellWord } from "./shell-line.ts";
import { isWrapper, unwrap } from "./wrappers.ts";

export type Started = {
  /** The words of each command, the program without its folder. */
  readonly commands: readonly (readonly ShellWord[])[];
  /** It may start something that does not stand here. */
  readonly isUnclear: boolean;
};

const MOST_NESTED = 8;

type Found = {
  readonly commands: (readonly ShellWord[])[];
  isUnclear: boolean;
  /** The line may write a file of this name. */
  readonly mayWrite: ((file: string) => boolean) | undefined;
  /** What it reads as its input comes from the line. */
  readonly isFed: boolean;
  /** Programs are looked for in other folders than the system's. */
  readonly isPathSet: boolean;
};

export const findStarted = (command: ShellCommand, line: readonly ShellCommand[]): Started => {
  const { isPathSet, isFed, writesRepository, mayWrite } = readFacts(line);
  const found: Found = {
    commands: [],
    // What git reads from there may name a program.
    isUnclear: writesRepository,
    mayWrite,
    isFed: isFed || command.isPiped || isFedBy(command),
    isPathSet,
  };
  followCommand(command, found, 0);
  return found;
};

type LineFacts = Pick<Found, "mayWrite" | "isFed" | "isPathSet"> & { readonly writesRepository: boolean };

const readLines = new WeakMap<readonly ShellCommand[], LineFacts>();

/** What the commands of a line do to each other; read once for a line. */
const readFacts = (line: readonly ShellCommand[]): LineFacts => {
  const before = readLines.get(line);
  if (before) return before;
  const isPathSet = line.some(setsPath);
  const facts: LineFacts = {
    isPathSet,
    isFed: line.some((command) => (command.words.length === 0 || command.words[0]?.text === "exec") && isFedBy(command)),
    writesRepository: line.some(mayWriteRepository),
    mayWrite: findWritten(
      line,
      line.flatMap((command) => collectStarted(command, isPathSet)),
    ),
  };
  readLines.set(line, facts);
  return facts;
};

/** Everything that stands in the words of a command, whatever it does with it. */
const collectStarted = (command: ShellCommand, isPathSet: boolean): readonly (readonly ShellWord[])[] => {
  const found: Found = { commands: [], isUnclear: false, mayWrite: undefined, isFed: false, isPathSet };
  followCommand(command, found, 0);
  return found.commands;
};

const followCommand = ({ assignments, words }: ShellCommand, found: Found, depth: number): void => {
  for (const { name, value } of assignments) followAssignment(name, value, found, depth);
  if (words.length > 0) followWords(words, found, depth);
};

/** The shell itself runs, expands or evaluates them. */
const READ_BY_SHELL = /^(?:BASH|PS\d|ENV$|PROMPT_COMMAND|SHELLOPTS$|COMP)/;
/** They say which files programs take their settings from, and with them other programs. */
const NAMES_SETTINGS =
  /^(?:HOME|XDG_\w+|SHELL|LD_\w+|DYLD_\w+|GIT_(?!AUTHOR_|COMMITTER_|TERMINAL_PROMPT|PAGER$|EDITOR$|SEQUENCE_EDITOR$|OPTIONAL_LOCKS)\w+)$/;

/** A program may run what a variable holds, as git does with a pager. */
const followAssignment = (name: string, value: ShellWord, found: Found, depth: number): void => {
  if (
    !/^\w+$/.test(name) ||
    READ_BY_SHELL.test(name) ||
    NAMES_SETTINGS.test(name) ||
    (value.kind === "literal" && QUOTING.test(value.text))
  ) {
    found.isUnclear = true;
    return;
  }
  if (value.kind !== "literal" || depth >= MOST_NESTED) return;
  for (const inner of parseShellLine(value.text) ?? []) if (inner.words.length > 0) found.commands.push(toNamed(inner.words));
};

/** With these a shell, or another language, writes a word otherwise than it is read. */
const QUOTING = /[\\'"$`]/;
/** Of the shell: no folder is looked through for them. */
const BUILT_IN =
  /^(?::|\[|cd|echo|exit|export|false|kill|popd|printf|pushd|pwd|read|return|set|shift|test|true|type|umask|unset|wait)$/;
const SYSTEM_FOLDER = /^\/(?:usr\/(?:local\/)?)?s?bin$/;

const toNamed = ([program, ...args]: readonly ShellWord[], isPathSet = false): readonly ShellWord[] => {
  if (program === undefined) return [];
  const folder = path.posix.dirname(program.text);
  const isOwnFile = program.text.includes("/") ? !SYSTEM_FOLDER.test(folder) : isPathSet && !BUILT_IN.test(program.text);
  return [{ ...program, text: path.posix.basename(program.text), ...(isOwnFile && { isOwnFile }) }, ...args];
};

const followWords = (words: readonly ShellWord[], found: Found, depth: number): void => {
  const [program, ...args] = toNamed(words, found.isPathSet);
  if (program === undefined || program.kind !== "literal" || depth > MOST_NESTED) {
    found.isUnclear = true;
    return;
  }
  const { text: name } = program;
  found.commands.push([program, ...args]);
  if (program.isOwnFile === true && found.mayWrite?.(words[0]?.text ?? "") === true) found.isUnclear = true;
  if (isWrapper(name)) return followWrapper(name, args, found, depth);
  if (SHELL.test(name)) return followShell(args, found, depth);
  if (name === "eval") return followText(args, found, depth);
  if (name === "find" || name === "fd" || name === "fdfind") return followSearch(args, found, depth);
  if (name === "git") return followGit(args, found, depth);
  if (name.startsWith("git-"))
    return followWords([{ text: "git", kind: "literal" }, { text: name.slice(4), kind: "literal" }, ...args], found, depth + 1);
  if (name === "source" || name === ".") return followScript(args[0], found);
  if (DECLARES.test(name)) return followDeclaration(args, found, depth);
  if (isEvaluating(name, args)) found.isUnclear = true;
  else if (isInterpreter(name)) followInterpreter(name, args, found);
  else if (!isDataOnly(program, args)) followOther(words, found, depth);
};

const followInterpreter = (name: string, args: readonly ShellWord[], found: Found): void => {
  const script = args.find(({ text }) => !text.startsWith("-"))?.text;
  if (runsUnclearText(name, args, found.isFed) || (isRunner(name) && script !== undefined && found.mayWrite?.(script) === true))
    found.isUnclear = true;
};

/** Of a program that is not known, or runs others by a subcommand, plain words are what they say. What else it is given may be run. */
const followOther = ([program, ...args]: readonly ShellWord[], found: Found, depth: number): void => {
  if (program === undefined) return;
  const isFile = program.text.includes("/") || found.isPathSet;
  const named = { ...program, text: path.posix.basename(program.text), isOwnFile: isFile };
  const at = args.findIndex(({ text, kind }) => kind === "literal" && isEmbedded(path.posix.basename(text)));
  const own = at < 0 ? args : args.slice(0, at);
  if (found.isFed && !isFile && at < 0 && !takesSubcommands(named) && !/^(?:npx|bunx|pnpx)$/.test(named.text))
    found.isUnclear = true;
  if (own.some(({ text, kind }, index) => kind === "literal" && QUOTING.test(text) && !isMessage(named, own, index)))
    found.isUnclear = true;
  // Alone at the end it is the name of a package or an image, unless something comes to it by its input.
  if (at >= 0 && (at < args.length - 1 || found.isFed)) followWords(args.slice(at), found, depth + 1);
};

/** The value of an option that takes a sentence, of programs that are known to have such. */
const isMessage = (program: ShellWord, args: readonly ShellWord[], at: number): boolean =>
  takesSubcommands(program) &&
  (/^(?:-m|--message|--title|--body|--notes|--description)$/.test(args[at - 1]?.text ?? "") ||
    /^--(?:message|title|body|notes|description)=/.test(args[at]?.text ?? ""));

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
  // What xargs reads comes behind the words, or in the place of a part of them.
  const replaced =
    name === "xargs" ? unwrapped.options.flatMap(({ option, value }) => (/^(?:-I|--replace)$/.test(option) ? [value] : [])) : [];
  const rest =
    name === "xargs"
      ? [...fill(unwrapped.rest, replaced, "$input"), { text: "$input", kind: "expansion" } as const]
      : unwrapped.rest;
  if (unwrapped.rest.length > 0) followWords(rest, found, depth + 1);
};

/** Words that hold one of the marks become something that is not known. */
const fill = (words: readonly ShellWord[], marks: readonly string[], text: string): readonly ShellWord[] =>
  words.map((word) => (marks.some((mark) => mark === "" || word.text.includes(mark)) ? { text, kind: "expansion" } : word));

const SHELL_FLAG = /^(?:-[elnuvx]+|--(?:norc|noprofile|login|posix))$/;

/** A text is read; a script is what a program does by itself. What comes by the input is not known. */
const followShell = (args: readonly ShellWord[], found: Found, depth: number): void => {
  let at = 0;
  while (args[at]?.kind === "literal" && SHELL_FLAG.test(args[at]?.text ?? "")) at += 1;
  if (args[at]?.kind === "literal" && /^-[elnuvx]*o$/.test(args[at]?.text ?? "") && /^\w+$/.test(args[at + 1]?.text ?? ""))
    at += 2;
  const word = args[at];
  if (word?.kind === "literal" && /^-[elnuvx]*c$/.test(word.text)) return followText(args.slice(at + 1, at + 2), found, depth);
  if (word?.kind === "literal" && word.text === "--version") return;
  followScript(word, found);
};

const followScript = (script: ShellWord | undefined, found: Found): void => {
  const isFile = script?.kind === "literal" && !script.text.startsWith("-") && !isInputFile(script.text);
  // Something that is read like a file may be a link to the input.
  if (!isFile || found.isFed || found.mayWrite?.(script.text) === true) found.isUnclear = true;
};

/** The words are a line of their own. */
const followText = (words: readonly ShellWord[], found: Found, depth: number): void => {
  const isKnown = words.length > 0 && words.every(({ kind }) => kind === "literal") && depth < MOST_NESTED;
  const inner = isKnown ? parseShellLine(words.map(({ text }) => text).join(" ")) : undefined;
  if (!inner) {
    found.isUnclear = true;
    return;
  }
  // While the commands are only collected, nothing is asked about files.
  const facts = found.mayWrite && readFacts(inner);
  found.isUnclear ||= facts?.writesRepository ?? false;
  for (const command of inner) {
    const inside: Found = {
      ...found,
      mayWrite: facts && ((file) => found.mayWrite?.(file) === true || facts.mayWrite?.(file) === true),
      isFed: found.isFed || facts?.isFed === true || command.isPiped || isFedBy(command),
    };
    followCommand(command, inside, depth + 1);
    found.isUnclear ||= inside.isUnclear;
  }
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
    else followWords([...fill(inner, ["{}"], "$found"), { text: "$found", kind: "expansion" }], found, depth + 1);
  }
};

/** Its own options stand before the command. */
const followGit = (args: readonly ShellWord[], found: Found, depth: number): void => {
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
  if (command?.text === "config" && !isHarmlessGitConfig(rest.slice(1))) found.isUnclear = true;
  // Of the others, texts may be run: `bisect run`, `submodule foreach`, `rebase -x`.
  const git: ShellWord = { text: "git", kind: "literal" };
  if (command?.text !== "config" && !isDataOnly(git, rest)) followOther([git, ...rest], found, depth);
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
