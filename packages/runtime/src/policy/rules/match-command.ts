/**
 * Whether a rule is about a command. To what allows, only the command as it is written counts; to what asks or denies, also other ways to write it
 * and what it starts, so that a way around a rule is never shorter than the rule.
 */
import path from "node:path";
import { matchesGlob } from "@retinue/protocol/names";
import { isDataOnly, operandsOf, takesSubcommands } from "../shell/known-programs.ts";
import { writesFile } from "../shell/line-files.ts";
import type { ShellCommand, ShellWord } from "../shell/shell-line.ts";
import { findStarted } from "../shell/started-commands.ts";

/** ` *` at the end may be absent, so that `git push *` is about `git push`, too. */
export const readsLike = (like: string, text: string): boolean =>
  matchesGlob(like, text) || (like.endsWith(" *") && matchesGlob(like.slice(0, -2), text));

export type CommandForms = {
  readonly text: string;
  /** The words of the command and of all that it starts. */
  readonly started: readonly (readonly ShellWord[])[];
  /** What a shell makes of its words is not known before it runs. */
  readonly isOpen: boolean;
  /** It holds expansions, or writes a file by a redirection: more than the words of the program. */
  readonly isMore: boolean;
  /** It may start what does not stand in it. */
  readonly runsOthers: boolean;
  /** Texts that the line writes into files, which a program may run. */
  readonly written: readonly string[];
};

/** Of each command of a line. */
export const toForms = (line: readonly ShellCommand[]): readonly CommandForms[] => {
  const written = findWrittenTexts(line);
  return line.map((command) => formsOf(command, line, written));
};

const formsOf = (command: ShellCommand, line: readonly ShellCommand[], written: readonly string[]): CommandForms => {
  const { commands, isUnclear } = findStarted(command, line);
  const { text, words, assignments } = command;
  const values = [...words, ...assignments.map(({ value }) => value)];
  const isMore = writesFile(command) || values.some(({ kind }) => kind === "expansion");
  return {
    text,
    started: commands,
    isOpen: isMore || values.some(({ kind }) => kind !== "literal"),
    isMore,
    runsOthers: isUnclear || commands.some(mayBeWrapper),
    written,
  };
};

/** Programs that hand on the texts they are given. */
const TEXTS = /^(?:echo|printf|cat|tee|dd)$/;

const findWrittenTexts = (line: readonly ShellCommand[]): readonly string[] =>
  line.some((command) => writesFile(command) || /^(?:tee|dd)$/.test(command.words[0]?.text ?? ""))
    ? line
        .filter(({ words }) => TEXTS.test(words[0]?.text ?? ""))
        .flatMap(({ words, redirections }) => [...words, ...redirections.map(({ target }) => target)])
        .map(({ text }) => text.replaceAll(/\\[a-z]/g, " "))
    : [];

/** A program of which it is not known what it does with its words, where the first of them is not known either. */
const mayBeWrapper = ([program, ...args]: readonly ShellWord[]): boolean =>
  program !== undefined &&
  !isDataOnly(program, args) &&
  !takesSubcommands(program) &&
  operandsOf(args)[0]?.kind === "expansion" &&
  !/^\$(?:found|input)$/.test(operandsOf(args)[0]?.text ?? "");

export const isAllowedLike = (like: string, { text, isMore }: CommandForms): boolean => !isMore && readsLike(like, text);

export const isHeldLike = (like: string, { text, started, written }: CommandForms): boolean => {
  const plain = like.replaceAll(/["']/g, "");
  const rule = toRuleWords(plain);
  return (
    [like, plain].some((form) => readsLike(form, text)) ||
    started.some(
      (words) =>
        readsLike(plain, toText(words)) || (rule !== undefined && (isSame(rule, words) || isNamedIn(rule, words, written))),
    )
  );
};

const toText = (words: readonly ShellWord[]): string => words.map(({ text }) => text).join(" ");

/** A rule that begins with plain words: those, its options, and whether more may follow. */
type RuleWords = { readonly words: readonly string[]; readonly options: readonly string[]; readonly isOpen: boolean };

const toRuleWords = (like: string): RuleWords | undefined => {
  const all = like.trim().split(/\s+/);
  const isOpen = all.at(-1) === "*";
  const plain = isOpen ? all.slice(0, -1) : all;
  if (plain.length === 0 || plain.some((word) => /[*?[{]/.test(word))) return undefined;
  const [program = "", ...args] = plain;
  return {
    words: [path.posix.basename(program), ...args.filter((arg) => !arg.startsWith("-"))],
    options: args.filter((arg) => arg.startsWith("-")),
    isOpen,
  };
};

/** The same program with the same words in any order of options, as far as it is known before the first word that is not. */
const isSame = (rule: RuleWords, [program, ...args]: readonly ShellWord[]): boolean => {
  const [ruled, ...wanted] = rule.words;
  if (program?.text !== ruled) return false;
  const open = args.findIndex(({ kind }) => kind !== "literal");
  const known = (open < 0 ? args : args.slice(0, open)).map(({ text }) => text);
  const isKnown = open < 0;
  const hasOptions = !isKnown || rule.options.every((option) => isGiven(option, known));
  if (!hasOptions) return false;
  const behind = findBehind(wanted, known, isKnown);
  return behind !== undefined && (rule.isOpen || !isKnown || behind.every((word) => word.startsWith("-")));
};

/** What follows the words, which may stand behind options and their values. Undefined where they do not stand there. */
const findBehind = (wanted: readonly string[], known: readonly string[], isKnown: boolean): readonly string[] | undefined => {
  const [next, ...later] = wanted;
  if (next === undefined) return known;
  for (let at = 0; at < known.length; at += 1) {
    const word = known[at] ?? "";
    if (word === next) return findBehind(later, known.slice(at + 1), isKnown);
    // Any word behind an option may be its value.
    if (!/^[-+]/.test(word) && !/^[-+]/.test(known[at - 1] ?? "")) return undefined;
  }
  return isKnown ? undefined : [];
};

/** `-f` may be short for `--force`, `-rf` is `-r -f`, and a long option may be cut. */
const isGiven = (option: string, words: readonly string[]): boolean => {
  if (words.includes(option)) return true;
  const clusters = words.filter((word) => /^-[^-]/.test(word));
  const long = words.filter((word) => word.startsWith("--")).map((word) => word.replace(/=[^]*$/, ""));
  const isLetterGiven = (letter: string): boolean =>
    // In either case: `rm -R` is `rm -r`.
    clusters.some((cluster) => cluster.toLowerCase().includes(letter.toLowerCase())) ||
    long.some((word) => word[2] === letter.toLowerCase()) ||
    (letter === "f" && words.some((word) => word.startsWith("+")));
  if (!option.startsWith("--")) return option.slice(1).split("").every(isLetterGiven);
  const name = option.replace(/=[^]*$/, "");
  return (
    long.some((word) => word === name || (word.length > 4 && name.startsWith(word))) ||
    clusters.some((cluster) => cluster.includes(name[2] ?? " ")) ||
    // `git push origin +main`.
    (name === "--force" && words.some((word) => word.startsWith("+")))
  );
};

/** A program that may start another, with the words of the rule among its own: as words, or in a text that it runs. */
const isNamedIn = (rule: RuleWords, [program, ...args]: readonly ShellWord[], written: readonly string[]): boolean => {
  if (program === undefined || isDataOnly(program, args)) return false;
  const words = takesSubcommands(program) ? behindSubcommand(args) : args;
  // The value of a short option may be attached.
  const texts = words.flatMap(({ text }) => (/^-[A-Za-z]./.test(text) ? [text, text.slice(2)] : [text]));
  return holdsWords(rule, texts) || holdsWords(rule, written);
};

const holdsWords = (rule: RuleWords, texts: readonly string[]): boolean => {
  const tokens = texts.flatMap((text) => text.split(/[^\w.+-]+/)).filter((token) => token !== "");
  let at = -1;
  return rule.words.every((word) => {
    at = tokens.indexOf(word, at + 1);
    return at >= 0;
  });
};

/** The first operand is a command of the program itself. */
const behindSubcommand = (args: readonly ShellWord[]): readonly ShellWord[] => {
  const at = args.findIndex(({ text }) => !text.startsWith("-"));
  return at < 0 ? args : [...args.slice(0, at), ...args.slice(at + 1)];
};
