/** `retinue agents …` on the command line. */
import { RetinueError } from "@retinue/protocol";
import type { Command } from "commander";
import { closestWord } from "@retinue/protocol/names";
import type { AgentsAddOptions } from "../agents/agents-add-command.ts";
import type { AgentsCheckOptions } from "../agents/agents-check-command.ts";
import type { AgentsListOptions } from "../agents/agents-list-command.ts";
import type { AgentsNewOptions } from "../agents/agents-new-command.ts";
import type { AgentsShowOptions } from "../agents/agents-show-command.ts";
import type { Registrar } from "./registrar.ts";
import { withWorkspace } from "./session-flags.ts";

/** Every one of them takes a folder. */
const plain = (command: Command): Command => withWorkspace(command, "the folder whose agents are meant");

export const registerAgents = ({ program, surroundings, act }: Registrar): void => {
  const agents = program
    .command("agents")
    .description("list, show, check, add and create agents")
    .helpCommand("help [command]", "show help for a command");

  plain(agents.command("list", { isDefault: true }))
    .description("the agents there are, with what each may use")
    .option("--json", "print one JSON object")
    .allowExcessArguments()
    .action((options: AgentsListOptions, command: Command) =>
      act(async () => {
        const [word] = command.args;
        const names = agents.commands.map((one) => one.name());
        if (word !== undefined)
          throw new RetinueError(
            "usage",
            `There is no command agents ${word}; did you mean ${closestWord(word, names) ?? "list"}?`,
          );
        const { agentsListCommand } = await import("../agents/agents-list-command.ts");
        return agentsListCommand(options, surroundings);
      }),
    );

  plain(agents.command("show").argument("<name>"))
    .description("one agent whole, where it comes from and what it may use here")
    .option("--json", "print one JSON object")
    .action((name: string, options: AgentsShowOptions) =>
      act(async () => {
        const { agentsShowCommand } = await import("../agents/agents-show-command.ts");
        return agentsShowCommand(name, options, surroundings);
      }),
    );

  plain(agents.command("check"))
    .description("what is wrong with files of agents, or read and not honoured, counted by kind of file")
    .option("-v, --verbose", "file by file and line by line")
    .option("--all", "the same with files without problems, too")
    .option("--json", "print one JSON object")
    .action((options: AgentsCheckOptions) =>
      act(async () => {
        const { agentsCheckCommand } = await import("../agents/agents-check-command.ts");
        return agentsCheckCommand(options, surroundings);
      }),
    );

  plain(agents.command("add").argument("<folder>", "a plugin, a folder of plugins, or a checkout of a marketplace"))
    .description("show what a folder of agents brings, and copy its agents, skills and commands after a yes")
    .option("--user", "for all projects: to the folders of your home")
    .option("--replace", "write over files that are there already")
    .option("--yes", "agree to what is shown")
    .option("--json", "print one JSON object")
    .action((folder: string, options: AgentsAddOptions) =>
      act(async () => {
        const { agentsAddCommand } = await import("../agents/agents-add-command.ts");
        return agentsAddCommand(folder, options, surroundings);
      }),
    );

  plain(agents.command("remove").argument("<plugin>"))
    .description("take away what agents add copied, but for files that were changed since")
    .option("--user", "from the folders of your home")
    .option("--json", "print one JSON object")
    .action((name: string, options: AgentsAddOptions) =>
      act(async () => {
        const { agentsRemoveCommand } = await import("../agents/agents-remove-command.ts");
        return agentsRemoveCommand(name, options, surroundings);
      }),
    );

  plain(agents.command("new").argument("<name>"))
    .description("write .retinue/agents/<name>.md to fill in")
    .option("--description <text>", "what it does and when to delegate to it")
    .option("--json", "print one JSON object")
    .action((name: string, options: AgentsNewOptions) =>
      act(async () => {
        const { agentsNewCommand } = await import("../agents/agents-new-command.ts");
        return agentsNewCommand(name, options, surroundings);
      }),
    );
};
