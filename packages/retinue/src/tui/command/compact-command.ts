/** `/compact`: what was said until now is summarised ahead of the next turn, by the same means as a conversation that no longer fits, and recorded like it. */
import { RetinueError } from "@retinue/protocol";
import type { CommandContext } from "./command-context.ts";
import type { SlashCommand } from "./slash-commands.ts";
import { requireMain, tell } from "./tell.ts";

export const compact: SlashCommand<CommandContext> = {
  name: "compact",
  takes: "",
  about: "summarises what was said until now, ahead of the next turn",
  run: (_, context) => {
    if (requireMain(context).view.roots.length === 0) throw new RetinueError("usage", "Nothing was said yet.");
    context.conversation.choices.compact = true;
    tell(context, "The next turn begins with a summary in place of what was said until now; the record keeps all of it.");
  },
};
