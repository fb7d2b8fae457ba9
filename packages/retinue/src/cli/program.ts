/** The commands and their options. Each command's own file is loaded when it is called. */
import { RetinueError } from "@retinue/protocol";
import { Command, CommanderError } from "commander";
import { nearest } from "../settings/nearest.ts";
import { EXIT } from "./exit-code.ts";
import type { DoctorOptions } from "./doctor-command.ts";
import type { RunCommandOptions } from "./run-command.ts";
import type { SessionOptions } from "./session-options.ts";
import type { Surroundings } from "./surroundings.ts";
import { readVersion } from "./version.ts";

const AFTER_HELP = `
Exit codes: 0 done, 1 failed, 2 wrong usage or settings, 3 stopped by a limit, 130 interrupted (143 by SIGTERM, 141 if
the reader of the output went away).

Settings: retinue.yaml in the project over ~/.retinue/retinue.yaml, RETINUE_… variables over both, options over all.
RETINUE_HOME moves ~/.retinue. RETINUE_DEBUG=1 shows where errors come from.
`;

const JSON_HELP = `
With --json each line of stdout is one event with type, sessionId, runId, parentRunId, depth, agent, seq and at; the last
one is the run.settled of the main run. If no run came about, there is one line of type "error" with the same fields.
`;

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

const withSessionOptions = (command: Command): Command =>
  command
    .option("-m, --model <name>", "provider/model, or a name from models")
    .option("-a, --agent <name>", "the agent that runs (default: main)")
    .option("--approve <mode>", "ask, read-only, workspace or all")
    .option("--limit <key=value>", "a limit of the run; may be given several times", collect)
    .option("-C, --workspace <folder>", "the folder to work in (default: the current one)");

export const runProgram = async (words: readonly string[], surroundings: Surroundings): Promise<number> => {
  let exitCode: number = EXIT.done;
  let output = "";
  const program = new Command("retinue");
  const names = (): readonly string[] => program.commands.map((command) => command.name());

  program
    .description("One main agent and its retinue of sub-agents.")
    .version(readVersion(), "-V, --version", "show the version")
    .helpCommand("help [command]", "show help for a command")
    .addHelpText("after", AFTER_HELP)
    .configureOutput({ writeOut: (text) => void (output += text), writeErr: () => undefined })
    .exitOverride();

  withSessionOptions(
    program
      .command("run")
      .description("run one task and print the answer")
      .argument("[task...]", "the task; - or nothing reads standard input"),
  )
    .option("--json", "print events as JSON lines")
    .option("-q, --quiet", "print the final answer alone")
    .addHelpText("after", JSON_HELP)
    .action(async (task: string[], options: RunCommandOptions) => {
      const { runCommand } = await import("./run-command.ts");
      exitCode = await runCommand(task, options, surroundings);
    });

  withSessionOptions(
    program.command("chat", { isDefault: true }).description("open a prompt (what retinue alone does)").allowExcessArguments(),
  ).action(async (options: SessionOptions, command: Command) => {
    const [word] = command.args;
    if (word !== undefined)
      throw new RetinueError("usage", `There is no command ${word}; did you mean ${nearest(word, names()) ?? "run"}?`, {
        hint: `A task is run by retinue run "…"; retinue help lists the commands.`,
      });
    const { chatCommand } = await import("./chat-command.ts");
    exitCode = await chatCommand(options, surroundings);
  });

  program
    .command("doctor")
    .description("show the settings in force, where they come from, and which models can be reached")
    .option("-C, --workspace <folder>", "the folder to look at (default: the current one)")
    .option("--json", "print the findings as one JSON object")
    .action(async (options: DoctorOptions) => {
      const { doctorCommand } = await import("./doctor-command.ts");
      exitCode = await doctorCommand(options, surroundings);
    });

  program
    .command("init")
    .description("write a commented retinue.yaml")
    .option("-C, --workspace <folder>", "the folder to write to (default: the current one)")
    .action(async (options: SessionOptions) => {
      const { initCommand } = await import("./init-command.ts");
      exitCode = await initCommand(options, surroundings);
    });

  try {
    await program.parseAsync([...words], { from: "user" });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode !== 0) throw new RetinueError("usage", toSentence(thrown.message));
  }
  await surroundings.stdout.write(output);
  return exitCode;
};

/** `error: unknown option '--x'` becomes `Unknown option '--x'.` */
const toSentence = (message: string): string => {
  const text = message.replace(/^error: /, "").trim();
  return text === "" ? "The command line is wrong." : `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/[.\n]+$/, "")}.`;
};
