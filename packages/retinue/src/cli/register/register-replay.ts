/** `retinue replay` on the command line. */
import type { ReplayOptions } from "../record/replay-command.ts";
import type { Registrar } from "./registrar.ts";
import { withWorkspace } from "./session-flags.ts";

export const registerReplay = ({ program, surroundings, act }: Registrar): void => {
  withWorkspace(
    program
      .command("replay")
      .description("show a recorded session once more, without any model or tool")
      .argument("<session>", "its id, the beginning of it, or latest"),
    "the folder whose settings are meant",
  )
    .option("--speed <factor>", "0 all at once, 1 as it was with pauses of 2 s at most, 10 ten times as fast (default: 1)")
    .option("--verify", "run the loop against the recorded answers and say where it would do something else")
    .option("--json", "print the events as JSON lines")
    .action((name: string, options: ReplayOptions) =>
      act(async () => {
        const { replayCommand } = await import("../record/replay-command.ts");
        return replayCommand(name, options, surroundings);
      }),
    );
};
