/** `retinue sessions …` on the command line. */
import { RetinueError } from "@retinue/protocol";
import type { Command } from "commander";
import { closestWord } from "@retinue/protocol/names";
import type { DeleteOptions } from "../record/delete-command.ts";
import type { ExportOptions } from "../record/export-command.ts";
import type { ForkCommandOptions } from "../record/fork-command.ts";
import type { ImportOptions } from "../record/import-command.ts";
import type { ListOptions } from "../record/list-command.ts";
import type { PruneOptions } from "../record/prune-command.ts";
import type { ResumeOptions } from "../record/resume-command.ts";
import type { SearchOptions } from "../record/search-command.ts";
import type { ShowOptions } from "../record/show-command.ts";
import type { VerifyOptions } from "../record/verify-command.ts";
import type { Registrar } from "./registrar.ts";
import { collect, withSessionOptions, withViewOptions, withWorkspace } from "./session-flags.ts";

const NAMES_HELP = `
A session is named by its id, by the beginning of it, or by latest: the session
of this folder that was written to last.
`;

/** Every one of them takes a folder and can answer in JSON. */
const plain = (command: Command): Command =>
  withWorkspace(command, "the folder whose settings and sessions are meant").option("--json", "print one JSON object");

export const registerSessions = (registrar: Registrar): void => {
  const { program, surroundings, act } = registrar;
  const sessions = program
    .command("sessions")
    .description("list, show, search, export, import, fork, resume, delete and verify what is recorded")
    .helpCommand("help [command]", "show help for a command")
    .addHelpText("after", NAMES_HELP);

  plain(sessions.command("list", { isDefault: true }))
    .description("the sessions of this folder, the one written to last first")
    .option("--all", "of all folders")
    .option("--limit <number>", "how many at most (default: 20)")
    .allowExcessArguments()
    .action((options: ListOptions, command: Command) =>
      act(async () => {
        const [word] = command.args;
        const names = sessions.commands.map((one) => one.name());
        if (word !== undefined)
          throw new RetinueError(
            "usage",
            `There is no command sessions ${word}; did you mean ${closestWord(word, names) ?? "list"}?`,
          );
        const { listCommand } = await import("../record/list-command.ts");
        return listCommand(options, surroundings);
      }),
    );

  plain(sessions.command("show").argument("<session>"))
    .description("the tree of runs and what was said")
    .option("--messages", "every message, whole")
    .option("--prompts", "the prompt of each agent that took part")
    .action((name: string, options: ShowOptions) =>
      act(async () => {
        const { showCommand } = await import("../record/show-command.ts");
        return showCommand(name, options, surroundings);
      }),
    );

  plain(sessions.command("search").argument("<text...>"))
    .description("find words in everything that was said, in all sessions")
    .option("--session <session>", "in this one alone")
    .option("--limit <number>", "how many at most (default: 20)")
    .action((words: string[], options: SearchOptions) =>
      act(async () => {
        const { searchCommand } = await import("../record/search-command.ts");
        return searchCommand(words, options, surroundings);
      }),
    );

  plain(sessions.command("export").argument("<session>"))
    .description("take a session out whole, as a document or as data")
    .option("--format <format>", "markdown or json (default: by the file's name, else markdown)")
    .option("-o, --output <file>", "write to this file")
    .action((name: string, options: ExportOptions) =>
      act(async () => {
        const { exportCommand } = await import("../record/export-command.ts");
        return exportCommand(name, options, surroundings);
      }),
    );

  plain(sessions.command("import").argument("<file>"))
    .description("record a session that was exported as JSON, here or elsewhere; - reads standard input")
    .option("--as-new", "under a new id, beside the one that it came from")
    .action((file: string, options: ImportOptions) =>
      act(async () => {
        const { importCommand } = await import("../record/import-command.ts");
        return importCommand(file, options, surroundings);
      }),
    );

  withViewOptions(withSessionOptions(sessions.command("fork").argument("<session>").argument("[task...]")))
    .description("go on from any point in a session of its own; what is not changed stays as it was")
    .option("--at <event>", "the event, or the id of the message, to leave at (default: the end)")
    .option("--prompt <text>", "in place of the agent's prompt")
    .action((name: string, words: string[], options: ForkCommandOptions) =>
      act(async () => {
        const { forkCommand } = await import("../record/fork-command.ts");
        return forkCommand(name, words, options, surroundings);
      }),
    );

  withViewOptions(withWorkspace(sessions.command("resume").argument("<session>"), "the folder whose settings are meant"))
    .description("go on where a session was cut off")
    .option("--approve <mode>", "ask, read-only, workspace or all; never more than it began with")
    .option("--limit <key=value>", "a limit of the run; may be given several times", collect)
    .option("--take-over", "also where a living process works on it, which can write nothing from then on")
    .action((name: string, options: ResumeOptions) =>
      act(async () => {
        const { resumeCommand } = await import("../record/resume-command.ts");
        return resumeCommand(name, options, surroundings);
      }),
    );

  plain(sessions.command("delete").argument("<session...>"))
    .description("take sessions away for good, with all that was kept of them")
    .option("-y, --yes", "do not ask")
    .option("--force", "also where a living process works on one, which can write nothing from then on")
    .action((names: string[], options: DeleteOptions) =>
      act(async () => {
        const { deleteCommand } = await import("../record/delete-command.ts");
        return deleteCommand(names, options, surroundings);
      }),
    );

  plain(sessions.command("verify").argument("[session]"))
    .description("whether what is kept is what was written; of all sessions, or of one")
    .action((name: string | undefined, options: VerifyOptions) =>
      act(async () => {
        const { verifyCommand } = await import("../record/verify-command.ts");
        return verifyCommand(name, options, surroundings);
      }),
    );

  plain(sessions.command("prune"))
    .description("delete old sessions of all folders; what has not ended stays")
    .option("--older-than <time>", "those last written to before: 12h, 30d, 2026-11-01")
    .option("--keep <number>", "all but so many of the latest")
    .action((options: PruneOptions) =>
      act(async () => {
        const { pruneCommand } = await import("../record/prune-command.ts");
        return pruneCommand(options, surroundings);
      }),
    );
};
