/** `retinue send`, `stop` and `follow` on the command line: reaching a run that another process drives. */
import type { Command } from "commander";
import type { FollowCommandOptions } from "../reach/follow-command.ts";
import type { SendOptions } from "../reach/send-command.ts";
import type { StopOptions } from "../reach/stop-command.ts";
import type { Registrar } from "./registrar.ts";
import { withWorkspace } from "./session-flags.ts";

const NAMES_HELP = `
A session is named by its id, by the beginning of it, or by latest, and stands
for its latest main run. A run is named by its id or the beginning of it
(run_…), as retinue sessions show --json and retinue follow --json tell it.
`;

const plain = (command: Command): Command => withWorkspace(command, "the folder whose settings and sessions are meant");

export const registerReach = ({ program, surroundings, act }: Registrar): void => {
  plain(
    program
      .command("send")
      .description("say something to a run; it reads it before its next turn")
      .argument("<name>")
      .argument("[text...]", "the words; - or nothing reads standard input"),
  )
    .option("--json", "print one JSON object")
    .addHelpText("after", NAMES_HELP)
    .action((name: string, words: string[], options: SendOptions) =>
      act(async () => {
        const { sendCommand } = await import("../reach/send-command.ts");
        return sendCommand(name, words, options, surroundings);
      }),
    );

  plain(program.command("stop").description("cancel a run and everything below it, for good").argument("<name>"))
    .option("--finish", "let it hand in what it has, in one last turn")
    .option("--reason <text>", "why; it stands in the record")
    .option("--json", "print one JSON object")
    .addHelpText("after", NAMES_HELP)
    .action((name: string, options: StopOptions) =>
      act(async () => {
        const { stopCommand } = await import("../reach/stop-command.ts");
        return stopCommand(name, options, surroundings);
      }),
    );

  plain(
    program
      .command("follow")
      .description("watch a session that another process works on, until its latest run ends")
      .argument("<session>", "its id, the beginning of it, or latest"),
  )
    .option("--after <number>", "from the event after this one (default: from the beginning of the latest run)")
    .option("--json", "print events as JSON lines")
    .action((name: string, options: FollowCommandOptions) =>
      act(async () => {
        const { followCommand } = await import("../reach/follow-command.ts");
        return followCommand(name, options, surroundings);
      }),
    );
};
