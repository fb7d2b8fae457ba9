/** `retinue serve` on the command line. */
import type { ServeOptions } from "../serve-command.ts";
import type { Registrar } from "./registrar.ts";
import { collect, withWorkspace } from "./session-flags.ts";

const HELP = `
The server listens on 127.0.0.1 alone. From other machines it can be reached
with --host, --password-file, --tls-cert and --tls-key together; --insecure
is for where something in front of it does what these would do.

Ctrl-C stops it. Runs that have not settled stay in the record; the next
server continues those that a server began (serve.takeUp in the settings).
`;

export const registerServe = ({ program, surroundings, act }: Registrar): void => {
  withWorkspace(
    program
      .command("serve")
      .description("serve the page, and the API that it uses, on this machine")
      .argument("[folders...]", "further folders to work in"),
    "the folder to work in",
  )
    .option("-p, --port <number>", "the port; 0 takes any that is free (default: 4510, or any where that is taken)")
    .option("--host <address>", "the address to listen on (default: 127.0.0.1)")
    .option("--name <host>", "a further name it is called by, as of a proxy; may be given several times", collect)
    .option("--open", "open the page in the browser")
    .option("--password-file <file>", "a file that holds a password to sign in with")
    .option("--tls-cert <file>", "the certificate, in PEM")
    .option("--tls-key <file>", "its key, in PEM")
    .option("--insecure", "listen on another address without password and TLS")
    .option("--json", "print where it listens, and the token, as one JSON object")
    .addHelpText("after", HELP)
    .action((folders: string[], options: ServeOptions) =>
      act(async () => {
        const { serveCommand } = await import("../serve-command.ts");
        return serveCommand(folders, options, surroundings);
      }),
    );
};
