/** `retinue` alone on the command line, and what is said to whoever meant another command. */
import { RetinueError } from "@retinue/protocol";
import type { Command } from "commander";
import { closestWord } from "@retinue/protocol/names";
import type { SessionOptions } from "../session-options.ts";
import type { Registrar } from "./registrar.ts";
import { withSessionOptions } from "./session-flags.ts";

export const registerChat = ({ program, surroundings, act }: Registrar): void => {
  withSessionOptions(
    program.command("chat", { isDefault: true }).description("open a prompt (what retinue alone does)").allowExcessArguments(),
  ).action((options: SessionOptions, command: Command) =>
    act(async () => {
      const [word] = command.args;
      const names = program.commands.map((one) => one.name());
      if (word !== undefined)
        throw new RetinueError("usage", `There is no command ${word}; did you mean ${closestWord(word, names) ?? "run"}?`, {
          hint: `A task is run by retinue run "…"; retinue help lists the commands.`,
        });
      const { chatCommand } = await import("../chat-command.ts");
      return chatCommand(options, surroundings);
    }),
  );
};
