/** The registry of slash commands: what there is, what fits what was typed so far, and how a line is taken apart. More can be added by whoever brings them. */
import { unknownSlash } from "../../unknown-slash.ts";

export type SlashCommand<Context> = {
  /** Without the slash. */
  readonly name: string;
  /** What follows the name, as in `agent task`. */
  readonly takes: string;
  readonly about: string;
  /** Words that could stand next. */
  readonly complete?: (typed: string, context: Context) => readonly string[] | Promise<readonly string[]>;
  readonly run: (rest: string, context: Context) => Promise<void> | void;
};

export type SlashCommands<Context> = {
  readonly all: () => readonly SlashCommand<Context>[];
  /** A name that is taken is not given away. */
  readonly add: (command: SlashCommand<Context>) => void;
  readonly find: (name: string) => SlashCommand<Context> | undefined;
  readonly run: (line: string, context: Context) => Promise<void>;
};

export const createSlashCommands = <Context>(first: readonly SlashCommand<Context>[]): SlashCommands<Context> => {
  const byName = new Map(first.map((command) => [command.name, command]));
  return {
    all: () => [...byName.values()],
    add: (command) => {
      if (!byName.has(command.name)) byName.set(command.name, command);
    },
    find: (name) => byName.get(name),
    run: async (line, context) => {
      const [, name = "", rest = ""] = /^\/(\S*)\s*(.*)$/s.exec(line) ?? [];
      const command = byName.get(name);
      if (!command) throw unknownSlash(name, [...byName.keys()]);
      await command.run(rest.trim(), context);
    },
  };
};
