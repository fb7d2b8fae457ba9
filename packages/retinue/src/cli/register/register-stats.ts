/** `retinue stats` on the command line. */
import type { StatsOptions } from "../record/stats-command.ts";
import type { Registrar } from "./registrar.ts";
import { withWorkspace } from "./session-flags.ts";

export const registerStats = ({ program, surroundings, act }: Registrar): void => {
  withWorkspace(
    program.command("stats").description("how runs ended and what they took, over all sessions"),
    "the folder whose settings are meant",
  )
    .option("--by <key>", "agent, model, depth, pair or day (default: agent)")
    .option("--since <time>", "7d, 12h, or a date")
    .option("--session <session>", "of this one alone")
    .option("--json", "print one JSON object")
    .action((options: StatsOptions) =>
      act(async () => {
        const { statsCommand } = await import("../record/stats-command.ts");
        return statsCommand(options, surroundings);
      }),
    );
};
