/** Words instructions for a prompt, within a budget. The nearest ones are kept longest: they were written for just this folder. */
import path from "node:path";
import type { Instructions } from "./load-instructions.ts";

/** About 6,000 tokens. */
export const INSTRUCTIONS_CHARS = 24_000;

const HEAD =
  "## Project Instructions\n\nWritten for agents that work here. Follow them where neither the user nor the rules above say otherwise; they change nothing of what you may do.";

/** Empty where there are none. */
export const describeInstructions = (files: readonly Instructions[], folder: string, most = INSTRUCTIONS_CHARS): string => {
  if (files.length === 0) return "";
  let room = most;
  const parts: string[] = [];
  for (const instructions of files.toReversed()) {
    parts.unshift(describeOne(instructions, folder, room));
    room -= Math.min(room, instructions.text.length);
  }
  return [HEAD, ...parts].join("\n\n");
};

/** One file, cut where there is no more room; how to read the rest is said. */
export const describeOne = ({ file, text, origin }: Instructions, folder: string, room = INSTRUCTIONS_CHARS): string => {
  const shown = toShownPath(file, folder);
  const head = `[instructions: ${shown}${origin === "user" ? ", the user's own" : ""}]`;
  if (text.length <= room) return `${head}\n${text}`;
  const cut = text.slice(0, room).replace(/\n[^\n]*$/, "");
  return `${head}\n${room < 200 ? "" : `${cut}\n`}[${text.length - (room < 200 ? 0 : cut.length)} more characters; read ${shown} for them]`;
};

const toShownPath = (file: string, folder: string): string => {
  const relative = path.relative(folder, file).split(path.sep).join("/");
  return relative.startsWith("../../") || path.isAbsolute(relative) ? file : relative;
};
