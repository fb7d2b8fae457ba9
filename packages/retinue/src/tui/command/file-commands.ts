/** Commands that are files, as slash commands of the TUI: said in the conversation, or carried out beside it by the agent that the file names. */
import type { FolderCommands } from "../../folder-commands.ts";
import type { CommandContext } from "./command-context.ts";
import type { SlashCommand } from "./slash-commands.ts";

export const toFileCommands = ({ commands, expand }: FolderCommands): readonly SlashCommand<CommandContext>[] =>
  [...commands.values()].map((command) => ({
    name: command.name,
    takes: command.argumentHint,
    about: command.description,
    run: async (rest, { retinue, conversation }) => {
      const text = await expand(command, rest);
      const { agent } = command;
      if (agent !== undefined && retinue.agents.has(agent)) conversation.beside(await retinue.run(text, { agent }));
      else await conversation.say(text);
    },
  }));
