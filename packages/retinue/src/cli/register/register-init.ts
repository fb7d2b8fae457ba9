/** `retinue init` on the command line. */
import type { InitOptions } from "../init-command.ts";
import type { Registrar } from "./registrar.ts";
import { collect, withWorkspace } from "./session-flags.ts";

const QUESTIONS_HELP = `
At a terminal it asks for the model, a first agent and an ignore file; flags
answer beforehand. Elsewhere, without flags, it writes a settings file in which
everything is commented out. What is there already is never changed.
`;

export const registerInit = ({ program, surroundings, act }: Registrar): void => {
  withWorkspace(
    program.command("init").description("set a project up: settings, a first agent, an ignore file"),
    "the folder to write to",
  )
    .option("-y, --yes", "ask nothing: the first model that is found, no agent, an ignore file")
    .option("-m, --model <name>", "the model, as provider/model")
    .option("--agent <name>", "write a file for an agent of this name; may be given several times", collect)
    .option("--ignore", "write an ignore file for searches")
    .option("--no-ignore", "write none")
    .option("--json", "print what was written as one JSON object; asks nothing")
    .addHelpText("after", QUESTIONS_HELP)
    .action((options: InitOptions) =>
      act(async () => {
        const { initCommand } = await import("../init-command.ts");
        return initCommand(options, surroundings);
      }),
    );
};
