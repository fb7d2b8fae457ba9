/** `retinue spawn` and `retinue fanout` on the command line. */
import type { Command } from "commander";
import type { FanOutCommandOptions } from "../agents/prepare-fan-out.ts";
import type { SpawnCommandOptions } from "../agents/spawn-command.ts";
import type { Registrar } from "./registrar.ts";
import { withWorkspace } from "./session-flags.ts";

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** Those of every run but the agent, which is named in its own place. */
const withRunOptions = (command: Command): Command =>
  withWorkspace(
    command
      .option("-m, --model <name>", "provider/model, or a name from models")
      .option("--tools <names>", "the only tools that may be used, as in read,grep")
      .option("--isolation <kind>", "worktree: in a git worktree of its own, merged when it is done; or none")
      .option("--approve <mode>", "ask, read-only, workspace or all")
      .option("--limit <key=value>", "a limit of the run; may be given several times", collect),
    "the folder to work in",
  );

const FANOUT_HELP = `
Without pairs, lines of JSON are read from standard input:
  {"agent":"code-search","task":"where is X?"}
A line may name a "model", too.

With --json each line of stdout is one event of one of the runs, as with
retinue run --json; the last line has the type "results" and holds all results
in the order of the tasks.

All tasks are written to a file below ~/.retinue/fanouts before the first is
started, each with the session that it will be. Should the command be killed,
--resume goes on with those sessions that were cut off, starts the tasks that
were not, and gives the results of all. It takes the id that was told, or that
of one of the sessions.

Exit codes: 0 all are completed, 1 one failed, 3 none failed and some were
stopped by a limit, 4 some wait for an approval (null among the results).
`;

export const registerSpawn = ({ program, surroundings, act }: Registrar): void => {
  withRunOptions(
    program
      .command("spawn")
      .description("run one agent and print the result that it hands in")
      .argument("<agent>", "its name")
      .argument("[task...]", "the task; what is piped in joins it, - or nothing reads standard input"),
  )
    .option("--json", "print events as JSON lines; the last one holds the result")
    .option("-q, --quiet", "no progress")
    .action((agent: string, task: string[], options: SpawnCommandOptions) =>
      act(async () => {
        const { spawnCommand } = await import("../agents/spawn-command.ts");
        return spawnCommand(agent, task, options, surroundings);
      }),
    );

  withRunOptions(
    program
      .command("fanout")
      .description("run several agents at once; results come in the order of the tasks")
      .argument("[pairs...]", 'agent "task" agent "task" …'),
  )
    .option("--resume [id]", "go on with a fan-out that was cut off (default: the latest of the folder)")
    .option("--concurrency <number>", "how many at a time (default: agent.maxConcurrent, 3)")
    .option("--json", "print events as JSON lines, and the results last")
    .option("-q, --quiet", "no progress")
    .addHelpText("after", FANOUT_HELP)
    .action((pairs: string[], options: FanOutCommandOptions) =>
      act(async () => {
        const { fanOutCommand } = await import("../agents/fan-out-command.ts");
        return fanOutCommand(pairs, options, surroundings);
      }),
    );
};
