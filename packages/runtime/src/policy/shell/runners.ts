/** Programs that run what their words name. */
import { isInterpreter } from "./interpreters.ts";
import { isWrapper } from "./wrappers.ts";

export const SHELL = /^(?:r?bash|sh|dash|ash|zsh|[m]?ksh|fish|pwsh|csh|tcsh)$/;

export const isRunner = (program: string): boolean =>
  isWrapper(program) ||
  SHELL.test(program) ||
  (isInterpreter(program) && !/sed$|awk$/.test(program)) ||
  /^(?:\.|source)$/.test(program);

/** Embedded in the words of another: `uv run bash -c …`. Words of the shell itself are also names of subcommands. */
export const isEmbedded = (name: string): boolean =>
  SHELL.test(name) || isInterpreter(name) || (isWrapper(name) && !/^(?:command|exec|builtin|time)$/.test(name));
