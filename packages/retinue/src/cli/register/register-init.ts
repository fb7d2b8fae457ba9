/** `retinue init` on the command line. */
import type { SessionOptions } from "../session-options.ts";
import type { Registrar } from "./registrar.ts";
import { withWorkspace } from "./session-flags.ts";

export const registerInit = ({ program, surroundings, act }: Registrar): void => {
  withWorkspace(program.command("init").description("write a commented retinue.yaml"), "the folder to write to").action(
    (options: Pick<SessionOptions, "workspace">) =>
      act(async () => {
        const { initCommand } = await import("../init-command.ts");
        return initCommand(options, surroundings);
      }),
  );
};
