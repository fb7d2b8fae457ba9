/** `retinue documents …` on the command line. */
import { RetinueError } from "@retinue/protocol";
import type { Command } from "commander";
import { closestWord } from "@retinue/protocol/names";
import type { DocumentsOptions } from "../documents/documents-file.ts";
import type { Registrar } from "./registrar.ts";
import { withWorkspace } from "./session-flags.ts";

const plain = (command: Command): Command =>
  withWorkspace(command, "the folder that paths start from").option("--json", "print one JSON object");

export const registerDocuments = ({ program, surroundings, act }: Registrar): void => {
  const documents = program
    .command("documents")
    .description("add, list and remove the documents that agents can search")
    .helpCommand("help [command]", "show help for a command");

  plain(documents.command("list", { isDefault: true }))
    .description("what is in the index")
    .allowExcessArguments()
    .action((options: DocumentsOptions, command: Command) =>
      act(async () => {
        const [word] = command.args;
        const names = documents.commands.map((one) => one.name());
        if (word !== undefined)
          throw new RetinueError(
            "usage",
            `There is no command documents ${word}; did you mean ${closestWord(word, names) ?? "list"}?`,
          );
        const { documentsListCommand } = await import("../documents/documents-list-command.ts");
        return documentsListCommand(options, surroundings);
      }),
    );

  plain(documents.command("add").argument("<path...>"))
    .description("read files, and folders with what is below them, into the index")
    .action((paths: string[], options: DocumentsOptions) =>
      act(async () => {
        const { documentsAddCommand } = await import("../documents/documents-add-command.ts");
        return documentsAddCommand(paths, options, surroundings);
      }),
    );

  plain(documents.command("remove").argument("<path...>"))
    .description("take them out of the index; the files stay")
    .action((paths: string[], options: DocumentsOptions) =>
      act(async () => {
        const { documentsRemoveCommand } = await import("../documents/documents-remove-command.ts");
        return documentsRemoveCommand(paths, options, surroundings);
      }),
    );
};
