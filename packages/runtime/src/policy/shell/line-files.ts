/** Which files a line may write, and what it feeds to programs: a file that was written here may be run by a later command. */
import path from "node:path";
import { mayWriteAny } from "./interpreters.ts";
import { isDataOnly, takesSubcommands } from "./known-programs.ts";
import { isEmbedded, isRunner } from "./runners.ts";
import type { ShellCommand, ShellWord } from "./shell-line.ts";

/** Into a file, not to another output or to nothing. */
export const writesFile = ({ redirections }: ShellCommand): boolean =>
  redirections.some(
    ({ operator, target }) => /^(?:>>?|>\||<>|&>>?|>&)$/.test(operator) && !/^(?:\/dev\/null|\d+|-)$/.test(target.text),
  );

export const isFedBy = ({ redirections }: ShellCommand): boolean =>
  redirections.some(({ operator, target }) => operator.startsWith("<") && target.text !== "/dev/null");

/** Programs are looked for in other folders from there on. */
export const setsPath = ({ assignments, words }: ShellCommand): boolean =>
  assignments.some(({ name }) => name === "PATH") || words.some(({ text }) => /^PATH(?:=|$)|\{PATH:?=/.test(text));

const IN_REPOSITORY = /(?:^|\/)\.git(?:\/|$)/;

export const mayWriteRepository = (command: ShellCommand): boolean => {
  if (writesFile(command) && command.redirections.some(({ target }) => IN_REPOSITORY.test(target.text))) return true;
  const [program, ...args] = command.words;
  const isReader =
    program !== undefined && isDataOnly(program, args) && !WRITES.test(program.text) && !/^(?:cd|pushd)$/.test(program.text);
  return !isReader && program?.text !== "find" && program?.text !== "git" && args.some(({ text }) => IN_REPOSITORY.test(text));
};

/** They make files of what they compile or install, not of texts in the line. */
const BUILDS = /^(?:cc|gcc|g\+\+|clang|clang\+\+|make|cmake|ninja|tsc|javac|rustc)$/;
/** Of those whose words are data. */
const WRITES = /^(?:tee|cp|mv|ln|sort|uniq|xxd|curl|patch|unzip|tree|shuf)$/;

/** Tells of a file whether a redirection, or a program that is not known to write nothing, may write one of its name. */
export const findWritten = (
  line: readonly ShellCommand[],
  started: readonly (readonly ShellWord[])[],
): ((file: string) => boolean) => {
  const words = [
    ...line.filter(writesFile).flatMap(({ redirections }) => redirections.map(({ target }) => target)),
    ...started.flatMap(wordsOfWriter),
  ];
  const isAny =
    words.some(({ kind }) => kind === "expansion") ||
    started.some(([program, ...args]) => mayWriteAny(program?.text ?? "", args));
  const names = new Set(words.flatMap(({ text }) => text.split(/[\s=:,;"'(){}]+/)).map((part) => path.posix.basename(part)));
  return (file) => isAny || names.has(path.posix.basename(file));
};

const wordsOfWriter = ([program, ...args]: readonly ShellWord[]): readonly ShellWord[] => {
  if (program === undefined || BUILDS.test(program.text) || takesSubcommands(program) || isRunner(program.text)) return [];
  if (isDataOnly(program, args) && !WRITES.test(program.text)) return [];
  const at = args.findIndex(({ text }) => isEmbedded(path.posix.basename(text)));
  return at < 0 ? args : args.slice(0, at);
};
