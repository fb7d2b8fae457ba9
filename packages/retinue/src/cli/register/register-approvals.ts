/** `retinue approvals …` on the command line. */
import { RetinueError } from "@retinue/protocol";
import type { Command } from "commander";
import { closestWord } from "@retinue/protocol/names";
import type { ApprovalsAnswerOptions } from "../reach/approvals-answer-command.ts";
import type { ApprovalsListOptions } from "../reach/approvals-list-command.ts";
import type { Registrar } from "./registrar.ts";
import { withViewOptions, withWorkspace } from "./session-flags.ts";

const ANSWER_HELP = `
A question is named by its id or the beginning of it. It does not matter which
process drives the run that asks, or whether any does; the record says who
answered. --json and --quiet are for --resume, as with retinue run.
`;

const plain = (command: Command): Command => withWorkspace(command, "the folder whose settings and sessions are meant");

export const registerApprovals = ({ program, surroundings, act }: Registrar): void => {
  const approvals = program
    .command("approvals")
    .description("list and answer what runs ask, from any terminal")
    .helpCommand("help [command]", "show help for a command");

  plain(approvals.command("list", { isDefault: true }))
    .description("the questions of this folder's sessions that wait for an answer")
    .option("--all", "of all folders")
    .option("--json", "print one JSON object")
    .allowExcessArguments()
    .action((options: ApprovalsListOptions, command: Command) =>
      act(async () => {
        const [word] = command.args;
        const names = approvals.commands.map((one) => one.name());
        if (word !== undefined)
          throw new RetinueError(
            "usage",
            `There is no command approvals ${word}; did you mean ${closestWord(word, names) ?? "list"}?`,
          );
        const { approvalsListCommand } = await import("../reach/approvals-list-command.ts");
        return approvalsListCommand(options, surroundings);
      }),
    );

  withViewOptions(
    plain(approvals.command("answer").argument("<id>"))
      .description("say yes or no to one of them, or answer what an agent asks")
      .option("--allow", "it may be done")
      .option("--deny", "it may not")
      .option("--scope <scope>", "a yes holds once, for acts like it in the run, or in the session (default: once)")
      .option("--reason <text>", "why; the agent reads it")
      .option("--text <words>", "the answer to a question of an agent")
      .option("--resume", "go on with the session at once, where no process drives it"),
  )
    .addHelpText("after", ANSWER_HELP)
    .action((id: string, options: ApprovalsAnswerOptions) =>
      act(async () => {
        const { approvalsAnswerCommand } = await import("../reach/approvals-answer-command.ts");
        return approvalsAnswerCommand(id, options, surroundings);
      }),
    );
};
