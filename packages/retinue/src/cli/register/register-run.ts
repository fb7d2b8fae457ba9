/** `retinue run` on the command line. */
import type { RunCommandOptions } from "../run-command.ts";
import type { Registrar } from "./registrar.ts";
import { withSessionOptions, withViewOptions } from "./session-flags.ts";

const JSON_HELP = `
With --json each line of stdout is one event with type, sessionId, runId,
parentRunId, depth, agent, seq and at; the last one is the run.settled of the
main run. If no run came about, there is one line of type "error" with the same
fields.
`;

export const registerRun = ({ program, surroundings, act }: Registrar): void => {
  withViewOptions(
    withSessionOptions(
      program
        .command("run")
        .description("run one task and print the answer")
        .argument("[task...]", "the task; what is piped in joins it, - or nothing reads standard input"),
    ),
  )
    .option("-c, --continue", "go on with the latest session of the folder; without a task, where it was cut off")
    .option("-s, --session <session>", "go on with this one")
    .option("--take-over", "go on with it also where a living process works on it")
    .option("--record <file>", "keep the model traffic of all runs in a file")
    .option("--replay <file>", "answer from such a file, without a key and without a network")
    .option("--ignore-tool-schemas", "with --replay: play also where only the schemas of the tools changed")
    .addHelpText("after", JSON_HELP)
    .action((task: string[], options: RunCommandOptions) =>
      act(async () => {
        const { runCommand } = await import("../run-command.ts");
        return runCommand(task, options, surroundings);
      }),
    );
};
