/**
 * From the words of a model to the arguments of git. Every option is looked up in the table, its value is attached to it, and what is left
 * is told apart into revisions and paths, so that no word is ever taken for something else than it was judged as.
 */
import { RetinueError } from "@retinue/protocol";
import type { ReadCommand } from "./read-commands.ts";
import { READ_COMMANDS } from "./read-commands.ts";

export type SortedArguments = {
  readonly command: string;
  readonly subcommand: string | undefined;
  readonly entry: ReadCommand;
  /** As they are given to git. */
  readonly options: readonly string[];
  /** The other words before `--`; none begins with a dash. */
  readonly words: readonly string[];
  /** The words after `--`; undefined where there is none. */
  readonly paths: readonly string[] | undefined;
};

const HINT =
  "This tool only looks. Commit with git_commit; other commands of git, if they are allowed, run in the shell. " +
  `Commands here: ${[...READ_COMMANDS.keys()].join(", ")}.`;

const refuse = (message: string, hint = HINT): RetinueError => new RetinueError("tool_failed", message, { hint });

/** Gives the content of whatever a ref names, also of a file. */
const RAW_FORMAT = /^--format=.*%\(\*?raw/s;

export const sortArguments = (args: readonly string[]): SortedArguments => {
  const given = args.filter((arg) => arg !== "--no-pager");
  const [command = "", ...rest] = given[0] === "git" ? given.slice(1) : given;
  if (args.some((arg) => arg.includes("\0"))) throw refuse("An argument may not contain a NUL character.");
  const entry = READ_COMMANDS.get(command);
  if (!entry)
    throw refuse(
      command.startsWith("-")
        ? `git's own option "${command}" is not taken; begin with the command.`
        : `"git ${command}" is not among the commands that only look.`,
    );
  const subcommand = takeSubcommand(command, entry, rest);
  const separator = rest.indexOf("--");
  const before = separator < 0 ? rest : rest.slice(0, separator);
  const options: string[] = [];
  const words: string[] = [];
  for (let at = 0; at < before.length; at += 1) {
    const word = before[at] ?? "";
    if (!word.startsWith("-")) {
      words.push(word);
      continue;
    }
    const read = readOption(entry, word, before[at + 1]);
    if (!read) throw refuse(`git ${command}: the option "${word}" is not taken here.`, toHint(command, entry));
    if (read.options.some((option) => RAW_FORMAT.test(option)))
      throw refuse(`git ${command}: a format may not hold the content of objects, as %(raw) does.`, toHint(command, entry));
    options.push(...read.options);
    if (read.usedNext) at += 1;
  }
  return { command, subcommand, entry, options, words, paths: separator < 0 ? undefined : rest.slice(separator + 1) };
};

/** Its own command, taken off the arguments; only `reflog` may be given a revision in its place. */
const takeSubcommand = (command: string, { subcommands, takes }: ReadCommand, rest: string[]): string | undefined => {
  const [first] = rest;
  if (!subcommands || first === undefined || first.startsWith("-")) return subcommands?.[0];
  if (subcommands.includes(first)) return rest.shift();
  if (takes === "revisions") return subcommands[0];
  throw refuse(`"git ${command} ${first}" is not among the commands that only look.`);
};

type ReadOption = { readonly options: readonly string[]; readonly usedNext: boolean };

const done = (...options: string[]): ReadOption => ({ options, usedNext: false });

const readOption = (entry: ReadCommand, word: string, next: string | undefined): ReadOption | undefined => {
  const { flags, values = [], revisionValues = [], patterns = [] } = entry;
  if (flags.includes(word) || patterns.some((pattern) => pattern.test(word))) return done(word);
  if (word.startsWith("--")) {
    const at = word.indexOf("=");
    if (at > 0) {
      const name = word.slice(0, at);
      return [...flags, ...values, ...revisionValues].includes(name) ? done(word) : undefined;
    }
    if (revisionValues.includes(word)) {
      const usedNext = next !== undefined && !next.startsWith("-");
      return { options: [`${word}=${usedNext ? next : "HEAD"}`], usedNext };
    }
    if (!values.includes(word) || next === undefined) return undefined;
    return { options: [`${word}=${next}`], usedNext: true };
  }
  const letter = word.slice(0, 2);
  if (values.includes(letter)) {
    if (word.length > 2) return done(word);
    // A value that is empty could not be attached.
    return next === undefined || next === "" ? undefined : { options: [letter + next], usedNext: true };
  }
  // Several letters in one word, as in -sb.
  const letters = Array.from(word.slice(1), (each) => `-${each}`);
  return letters.length > 1 && letters.every((each) => flags.includes(each)) ? done(...letters) : undefined;
};

const toHint = (command: string, { flags, values = [], revisionValues = [] }: ReadCommand): string =>
  `git ${command} takes here: ${[...flags, ...[...values, ...revisionValues].map((name) => `${name} …`)].join(" ") || "no options"}.`;
