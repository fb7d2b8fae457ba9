/** `retinue doctor` on the command line. */
import type { DoctorOptions } from "../doctor-command.ts";
import type { Registrar } from "./registrar.ts";
import { withWorkspace } from "./session-flags.ts";

export const registerDoctor = ({ program, surroundings, act }: Registrar): void => {
  withWorkspace(
    program.command("doctor").description("show the settings in force, where they come from, and which models can be reached"),
    "the folder to look at",
  )
    .option("--json", "print the findings as one JSON object")
    .option("--live", "make one tiny real request to each model that is set up, and tell how long it took")
    .option("--prompt", "instead: what the first request of a session costs here, and of what")
    .action((options: DoctorOptions) =>
      act(async () => {
        if (options.prompt === true) {
          const { doctorPromptCommand } = await import("../doctor-prompt-command.ts");
          return doctorPromptCommand(options, surroundings);
        }
        const { doctorCommand } = await import("../doctor-command.ts");
        return doctorCommand(options, surroundings);
      }),
    );
};
