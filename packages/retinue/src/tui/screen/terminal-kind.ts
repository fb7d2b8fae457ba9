/**
 * What a terminal understands, by what it says of itself and by the platform. The console that Windows had before its Terminal sets no variable and knows
 * neither modes of input nor frames that are shown whole, and its fonts have no dots for signs that turn; it is sent none of them.
 */
import type { NotifyBy } from "./notify.ts";
import { notifyBy } from "./notify.ts";
import type { Colours } from "./row.ts";
import { coloursOf } from "./row.ts";

export type TerminalKind = {
  readonly colours: Colours;
  readonly notifyBy: NotifyBy;
  /** It takes modes, marks of frames, and signs of all fonts. */
  readonly isModern: boolean;
};

/** `TERM` stays unset on Windows, also where the terminal is a good one; those say so otherwise. */
const isOldConsole = ({ WT_SESSION, TERM, TERM_PROGRAM, ConEmuANSI }: NodeJS.ProcessEnv, platform: NodeJS.Platform): boolean =>
  platform === "win32" && !WT_SESSION && !TERM && !TERM_PROGRAM && ConEmuANSI !== "ON";

export const terminalKindOf = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): TerminalKind => ({
  colours: coloursOf(env),
  notifyBy: notifyBy(env),
  isModern: !isOldConsole(env, platform),
});

/**
 * Cygwin and MSYS terminals give a Windows program pipes in place of a console, so that it cannot draw there and nobody sees a prompt. What to do about that;
 * undefined elsewhere.
 */
export const adviceWithoutConsole = (
  env: NodeJS.ProcessEnv,
  { isTerminal, platform = process.platform }: { readonly isTerminal: boolean; readonly platform?: NodeJS.Platform },
): string | undefined => {
  const isCygwin = env["TERM_PROGRAM"] === "mintty" || env["MSYSTEM"] !== undefined || env["TERM"] === "cygwin";
  if (platform !== "win32" || isTerminal || !isCygwin) return undefined;
  return "this terminal gives programs no console, so that lines are read as from a pipe; `winpty retinue` opens the terminal interface.";
};
