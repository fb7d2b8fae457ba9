/** Reaches a person who looks elsewhere: the title tells how many questions wait, and a notification is sent where the terminal knows how, else a bell. */
import { cutToWidth } from "../../terminal/text-width.ts";
import { safeName } from "./row.ts";

export type NotifyBy = "osc9" | "osc777" | "bell";

/** By what the terminal says it is. Multiplexers pass on the bell alone. */
export const notifyBy = ({ TERM_PROGRAM = "", TERM = "", TMUX, STY }: NodeJS.ProcessEnv): NotifyBy => {
  if (TMUX !== undefined || STY !== undefined) return "bell";
  if (/iterm|wezterm|ghostty|warp/i.test(TERM_PROGRAM) || /kitty|ghostty/.test(TERM)) return "osc9";
  return /^(?:foot|rxvt)/.test(TERM) ? "osc777" : "bell";
};

const MOST_COLUMNS = 80;

const clean = (text: string): string => cutToWidth(safeName(text).replaceAll(";", ","), MOST_COLUMNS);

export const toNotification = (text: string, by: NotifyBy): string => {
  switch (by) {
    case "osc9":
      return `\u001b]9;${clean(text)}\u0007`;
    case "osc777":
      return `\u001b]777;notify;Retinue;${clean(text)}\u0007`;
    case "bell":
      return "\u0007";
    default:
      return by satisfies never;
  }
};

/** `(1) retinue: my-project`. */
export const toTitle = (project: string, waiting: number): string =>
  `\u001b]0;${waiting > 0 ? `(${waiting}) ` : ""}${clean(`retinue: ${project}`)}\u0007`;

/** Puts a text on the clipboard of the machine that the terminal runs on; nothing is ever read from it. */
export const toClipboard = (text: string): string => `\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`;
