/** `retinue` alone on the command line, and what is said to whoever meant another command. */
import { RetinueError } from "@retinue/protocol";
import type { Command } from "commander";
import { nearestName } from "@retinue/protocol/names";
import { canLive } from "../live/can-live.ts";
import type { SessionOptions } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Registrar } from "./registrar.ts";
import { withSessionOptions } from "./session-flags.ts";

type ChatOptions = SessionOptions & { readonly plain?: boolean };

const canDraw = ({ stdin, stdout, env }: Surroundings): boolean => stdin.isTTY === true && canLive({ stderr: stdout, env });

const HELP = `
On a terminal this opens the TUI; --plain (or RETINUE_PLAIN=1, or TERM=dumb)
asks line by line, which screen readers and pipes can follow.
`;

export const registerChat = ({ program, surroundings, act }: Registrar): void => {
  withSessionOptions(
    program
      .command("chat", { isDefault: true })
      .description("open the terminal interface (what retinue alone does)")
      .option("--plain", "line by line, without drawing on the screen")
      .allowExcessArguments(),
  )
    .addHelpText("after", HELP)
    .action(({ plain, ...options }: ChatOptions, command: Command) =>
      act(async () => {
        const [word] = command.args;
        const names = program.commands.map((one) => one.name());
        if (word !== undefined) {
          const near = nearestName(word, names);
          throw new RetinueError("usage", `There is no command ${word}${near === undefined ? "." : `; did you mean ${near}?`}`, {
            hint: `A task is run by retinue run "…"; retinue help lists the commands.`,
          });
        }
        if (plain !== true && canDraw(surroundings)) {
          const { openTui } = await import("../../tui/open-tui.ts");
          return openTui(options, surroundings);
        }
        const { adviceWithoutConsole } = await import("../../tui/screen/terminal-kind.ts");
        const advice = adviceWithoutConsole(surroundings.env, { isTerminal: surroundings.stdin.isTTY === true });
        if (advice !== undefined) await surroundings.stderr.write(`retinue: ${advice}\n`);
        const { chatCommand } = await import("../chat-command.ts");
        return chatCommand(options, surroundings);
      }),
    );

  withSessionOptions(
    program
      .command("attach")
      .description("open a session in the terminal interface: follow it, answer it, or go on with it")
      .argument("<session>", "its id, the beginning of it, or latest"),
  ).action((attach: string, options: SessionOptions) =>
    act(async () => {
      if (!canDraw(surroundings))
        throw new RetinueError("usage", "retinue attach needs a terminal.", {
          hint: "retinue follow shows a session line by line, retinue approvals answers its questions.",
        });
      const { openTui } = await import("../../tui/open-tui.ts");
      return openTui({ ...options, attach }, surroundings);
    }),
  );
};
