/** What several slash commands say and need: a line in the conversation, and the session that is open. */
import { RetinueError } from "@retinue/protocol";
import { wrapRow } from "../screen/fit-row.ts";
import { safeText, span } from "../screen/row.ts";
import type { Feed } from "../session/feed.ts";
import type { CommandContext } from "./command-context.ts";

export const requireMain = ({ conversation }: CommandContext): Feed => {
  const main = conversation.main();
  if (!main)
    throw new RetinueError("session_unknown", "No session has begun here yet.", { hint: "/sessions lists those there are." });
  return main;
};

export const tell = ({ print, width }: CommandContext, text: string): void =>
  print(text.split("\n").flatMap((line) => wrapRow([span(` ${safeText(line)}`, "dim")], width(), "   ")));
