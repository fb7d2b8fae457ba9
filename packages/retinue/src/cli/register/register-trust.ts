/** `retinue trust` on the command line. */
import type { TrustOptions } from "../trust/trust-command.ts";
import type { Registrar } from "./registrar.ts";
import { withWorkspace } from "./session-flags.ts";

export const registerTrust = ({ program, surroundings, act }: Registrar): void => {
  withWorkspace(
    program.command("trust").description("show what the project would load or start, and let it after a yes"),
    "the project",
  )
    .option("-y, --yes", "do not ask")
    .option("--revoke", "take back all that was trusted of it")
    .option("--json", "print one JSON object; shows only, unless --yes says otherwise")
    .action((options: TrustOptions) =>
      act(async () => {
        const { trustCommand } = await import("../trust/trust-command.ts");
        return trustCommand(options, surroundings);
      }),
    );
};
