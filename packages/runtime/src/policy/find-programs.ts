/**
 * Finds the shell scripts that a command line runs, and those that they run in turn. It only narrows what a human's answer is bound to: whatever
 * is not plain (expansions, another interpreter, a changed folder, a script that cannot be read) gives no list, and all files count.
 */
import path from "node:path";
import { isNoProgram } from "./shell-command.ts";
import { readPlainCommands } from "./shell-words.ts";

/** A script with the text that it was read with; undefined text: it was not there. */
export type Program = { readonly file: string; readonly text: string | undefined };

type Read = (file: string) => Promise<string | undefined>;

const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "dash"]);
const SHEBANG = /^#!(?:\/usr)?\/bin\/(?:env[ \t]+)?(?:sh|bash|dash)[ \t]*$/;
const MOST_PROGRAMS = 16;

/** Reads a script of a workspace. */
export const readIn =
  (workspace: string, read: Read | undefined): Read =>
  async (file) =>
    read?.(path.resolve(workspace, file));

/** Undefined where it cannot be told. */
export const findPrograms = async (line: string, { read }: { readonly read: Read }): Promise<readonly Program[] | undefined> => {
  const found = new Map<string, Program>();
  const lines = [line];
  for (let text = lines.pop(); text !== undefined; text = lines.pop()) {
    const commands = text === "" ? [] : readPlainCommands(text, { redirections: true });
    // In another folder a name means another file.
    if (commands === undefined || commands.some(([name]) => name === "cd")) return undefined;
    for (const words of commands) {
      if (isNoProgram(words)) continue;
      const file = toScript(words);
      if (file === undefined) return undefined;
      if (found.has(file)) continue;
      const script = await read(file);
      const isShell = words[0] !== file || SHEBANG.test(script?.split("\n", 1)[0] ?? "");
      if (script === undefined || !isShell || found.size >= MOST_PROGRAMS) return undefined;
      found.set(file, { file, text: script });
      lines.push(withoutComments(script));
    }
  }
  return [...found.values()];
};

/** Whether the scripts still have the text that they were read with. */
export const areAsRead = async (programs: readonly Program[], read: Read): Promise<boolean> => {
  for (const { file, text } of programs) if ((await read(file)) !== text) return false;
  return true;
};

/** The script of `sh FILE …` and of `./FILE …`. */
const toScript = ([program = "", script]: readonly string[]): string | undefined => {
  if (program.includes("/")) return isInPlace(program) ? program : undefined;
  return SHELLS.has(program) && script !== undefined && isInPlace(script) ? script : undefined;
};

/** A plain name below the workspace. */
const isInPlace = (file: string): boolean =>
  !file.startsWith("-") && !path.posix.isAbsolute(file) && !file.split("/").includes("..");

const withoutComments = (script: string): string =>
  script
    .split("\n")
    .filter((row) => !/^\s*(?:#.*|set -[eux]+)?$/.test(row))
    .join("\n");
