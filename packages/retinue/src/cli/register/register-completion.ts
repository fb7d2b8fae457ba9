/** `retinue completion` on the command line. */
import { RetinueError } from "@retinue/protocol";
import { EXIT } from "../exit-code.ts";
import type { Registrar } from "./registrar.ts";

export const registerCompletion = ({ program, surroundings, act }: Registrar): void => {
  program
    .command("completion")
    .description("print a script that completes commands and options in a shell")
    .argument("<shell>", "bash, zsh or fish")
    .action((name: string) =>
      act(async () => {
        const { SHELLS, toCompletionScript } = await import("../shell-completion.ts");
        const { listCommands } = await import("../list-commands.ts");
        const shell = SHELLS.find((one) => one === name);
        if (!shell)
          throw new RetinueError("usage", `There is no completion for ${name}.`, { hint: `There is for: ${SHELLS.join(", ")}.` });
        await surroundings.stdout.write(toCompletionScript(shell, listCommands(program)));
        return EXIT.done;
      }),
    );
};
