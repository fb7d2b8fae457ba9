/**
 * What can be told of a command line without running it. It only spares a human questions and is no boundary: what it does not know for
 * certain it calls unknown, and what a command may do at worst is decided by the sandbox.
 */
import path from "node:path";
import { readHarmless } from "./harmless-commands.ts";
import { readPlainCommands } from "./shell-words.ts";

export type CommandVerdict =
  /**
   * It only looks. `paths` is everything it may read, relative to where the line starts or absolute. git is told apart, since the settings
   * of a repository can name programs that it runs.
   */
  { readonly type: "harmless"; readonly paths: readonly string[]; readonly usesGit: boolean } | { readonly type: "unknown" };

const UNKNOWN: CommandVerdict = { type: "unknown" };
const MOST_PATHS = 200;
const MOST_FOLDERS = 8;

export const classifyCommand = (line: string): CommandVerdict => {
  const commands = readPlainCommands(line);
  if (!commands) return UNKNOWN;
  const paths = new Set<string>();
  // A change of folder may fail, or hold for a part of a pipeline alone: what follows is meant in any of them.
  let folders = ["."];
  for (const words of commands) {
    const target = toFolder(words);
    const read = target === undefined ? readHarmless(words) : [target];
    // Behind a link, `..` is not where it seems to be.
    if (read === undefined || read.some(climbs)) return UNKNOWN;
    for (const folder of folders)
      for (const file of read) paths.add(path.posix.join(path.posix.isAbsolute(file) ? "" : folder, file));
    if (target !== undefined) folders = [...new Set([...folders, ...folders.map((folder) => resolveFolder(folder, target))])];
    if (folders.length > MOST_FOLDERS || paths.size > MOST_PATHS) return UNKNOWN;
  }
  return { type: "harmless", paths: [...paths], usesGit: commands.some(([name]) => name === "git") };
};

const resolveFolder = (folder: string, target: string): string =>
  path.posix.isAbsolute(target) ? target : path.posix.join(folder, target);

const climbs = (file: string): boolean => file.split("/").includes("..");

/** Where a plain `cd` leads. */
const toFolder = ([name, target, ...more]: readonly string[]): string | undefined =>
  name === "cd" && target !== undefined && more.length === 0 && !target.startsWith("-") && target !== "" ? target : undefined;

/** Programs that change files or print, and run no file whatever they are told. */
const RUN_NOTHING: ReadonlySet<string> = new Set(
  (
    "basename cd chgrp chmod chown cmp cp date diff dirname echo false ln ls mkdir mktemp " +
    "mv printf pwd readlink realpath rm rmdir sleep stat test touch true truncate wc"
  ).split(" "),
);

/** Whether it can be told for certain that a line runs no file of the workspace. */
export const runsNothing = (line: string): boolean =>
  readPlainCommands(line, { redirections: true })?.every(isNoProgram) ?? false;

/** The same of the words of one command. */
export const isNoProgram = (words: readonly string[]): boolean =>
  RUN_NOTHING.has(words[0] ?? "") || readHarmless(words) !== undefined;

const MOST_SCRIPTS = 16;
const WRAPPERS: ReadonlySet<string> = new Set([
  "env",
  "nice",
  "nohup",
  "time",
  "timeout",
  "stdbuf",
  "setsid",
  "exec",
  "command",
  "sudo",
]);
const INTERPRETERS =
  /^(?:sh|bash|dash|zsh|ksh|fish|source|\.|node|deno|bun|tsx|ts-node|python[\d.]*|ruby|perl|php|lua|Rscript|pwsh|awk)$/;
const BUILD_FILES: Readonly<Record<string, readonly string[]>> = {
  npm: ["package.json"],
  pnpm: ["package.json"],
  yarn: ["package.json"],
  bun: ["package.json"],
  make: ["GNUmakefile", "makefile", "Makefile"],
  just: ["justfile"],
};

/**
 * Files whose content a line runs, as far as can be seen: what is started by its path, the script of an interpreter, the file that a build
 * tool goes by. Whoever allows such a line allows it with this content.
 */
export const scriptsOf = (line: string): readonly string[] => {
  const scripts = new Set<string>();
  for (const segment of line.split(/[;&|\n()`{}]+/)) {
    const words = (segment.match(WORDS) ?? []).map(unquote);
    while (words.length > 0 && isPrefix(words[0] ?? "")) words.shift();
    const [program = "", ...args] = words;
    const name = path.posix.basename(program);
    if (program.includes("/")) scripts.add(program);
    if (INTERPRETERS.test(name)) {
      const script = args.find((arg) => !arg.startsWith("-") && arg !== "run");
      if (script !== undefined) scripts.add(script);
    }
    if (Object.hasOwn(BUILD_FILES, name)) for (const file of BUILD_FILES[name] ?? []) scripts.add(file);
  }
  return [...scripts].slice(0, MOST_SCRIPTS);
};

const WORDS = /(?:'[^']*'|"[^"]*"|[^\s<>'"])+/g;

const unquote = (word: string): string => word.replaceAll(/["'\\]/g, "");

/** Assignments, wrappers and what they are given. */
const isPrefix = (word: string): boolean =>
  /^\w+=/.test(word) || WRAPPERS.has(word) || word.startsWith("-") || /^\d+[smhd]?$/.test(word);
