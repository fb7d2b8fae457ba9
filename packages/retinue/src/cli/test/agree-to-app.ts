/** Asks before the application of a suite, or a program on the screen of a case, is started: both run outside of the sandbox, with the user's own rights. */
import { realpath } from "node:fs/promises";
import type { StartedCommand } from "../../qa/app-agreement.ts";
import { createAppAgreements } from "../../qa/app-agreement.ts";
import type { AppUnderTest } from "../../qa/start-app.ts";
import { retinueHome } from "../../settings/retinue-home.ts";
import { toPrintable } from "../../terminal/printable.ts";
import type { Surroundings } from "../surroundings.ts";
import { askYes } from "../trust/ask-yes.ts";

export type Agreement = { readonly workspace: string; readonly isAgreed: boolean };

/** Throws where nobody agreed. */
export const agreeToApp = (app: AppUnderTest, agreement: Agreement, surroundings: Surroundings): Promise<void> =>
  agreeTo(app, { who: "The suite", what: "its application" }, agreement, surroundings);

/** Throws where nobody agreed. */
export const agreeToProgram = (command: string, agreement: Agreement, surroundings: Surroundings): Promise<void> =>
  agreeTo({ command }, { who: "The case", what: "a program on its screen" }, agreement, surroundings);

const agreeTo = async (
  started: StartedCommand,
  { who, what }: { readonly who: string; readonly what: string },
  { workspace, isAgreed }: Agreement,
  surroundings: Surroundings,
): Promise<void> => {
  if (isAgreed) return;
  const agreements = createAppAgreements(retinueHome(surroundings.env), await realpath(workspace));
  if (await agreements.isAgreed(started)) return;
  const { stdin, stderr } = surroundings;
  const { command } = started;
  if (stdin.isTTY !== true || !stderr.isTerminal)
    throw new Error(
      `Nobody has agreed to start ${"url" in started ? "the application" : what} by ${JSON.stringify(command)}. --trust-app agrees to it.`,
    );
  const shown = toPrintable(command, "line");
  if (!(await askYes(`${who} starts ${what}, outside of the sandbox, by\n  ${shown}\nStart it? [y/N] `, surroundings)))
    throw new Error(`Starting ${"url" in started ? "the application" : what} was refused.`);
  await agreements.agree(started);
};
