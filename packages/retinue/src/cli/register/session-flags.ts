/** The options of every command that runs agents. */
import type { Command } from "commander";

export const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

export const withWorkspace = (command: Command, what: string): Command =>
  command.option("-C, --workspace <folder>", `${what} (default: the current one)`);

export const withSessionOptions = (command: Command): Command =>
  withWorkspace(
    command
      .option("-m, --model <name>", "provider/model, or a name from models")
      .option("-a, --agent <name>", "the agent that runs (default: main)")
      .option("--approve <mode>", "ask, read-only, workspace or all")
      .option("--limit <key=value>", "a limit of the run; may be given several times", collect),
    "the folder to work in",
  );

/** How a run is shown. */
export const withViewOptions = (command: Command): Command =>
  command.option("--json", "print events as JSON lines").option("-q, --quiet", "print the final answer alone");
