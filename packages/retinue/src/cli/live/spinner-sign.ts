/** The sign that turns while something works, as it stands at a time: dots, or lines where fonts have no dots. */
import { terminalKindOf } from "../../tui/screen/terminal-kind.ts";

const DOTS = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const LINES = ["|", "/", "-", "\\"];

/** How long it stands still. */
export const SIGN_MS = 100;

export const spinnerSign = (now: number, env: NodeJS.ProcessEnv, platform?: NodeJS.Platform): string => {
  const signs = terminalKindOf(env, platform).isModern ? DOTS : LINES;
  return signs[Math.floor(now / SIGN_MS) % signs.length] ?? "";
};
