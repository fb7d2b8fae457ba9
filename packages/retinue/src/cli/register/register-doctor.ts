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
    .action((options: DoctorOptions) =>
      act(async () => {
        const { doctorCommand } = await import("../doctor-command.ts");
        return doctorCommand(options, surroundings);
      }),
    );
};
