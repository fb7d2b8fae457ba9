/** The commands that there are, as data: for the completion of shells and the reference, which are made from the commands themselves. */
import type { Command } from "commander";

export type ListedCommand = {
  /** `sessions fork`; empty for the program itself. */
  readonly path: string;
  readonly about: string;
  readonly usage: string;
  readonly arguments: readonly { readonly name: string; readonly about: string }[];
  readonly options: readonly { readonly flags: string; readonly long: string; readonly about: string }[];
  /** Names of the commands below it. */
  readonly below: readonly string[];
  readonly command: Command;
};

export const listCommands = (command: Command, path = ""): readonly ListedCommand[] => [
  {
    path,
    about: command.description(),
    usage: command.usage(),
    arguments: command.registeredArguments.map((one) => ({ name: one.name(), about: one.description })),
    options: command.options.map(({ flags, long, description }) => ({ flags, long: long ?? flags, about: description })),
    below: command.commands.map((one) => one.name()),
    command,
  },
  ...command.commands.flatMap((one) => listCommands(one, `${path} ${one.name()}`.trim())),
];
