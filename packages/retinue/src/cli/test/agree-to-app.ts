/** Asks before the application of a suite is started: it runs outside of the sandbox, with the user's own rights. */
import { realpath } from "node:fs/promises";
import { createAppAgreements } from "../../qa/app-agreement.ts";
import type { AppUnderTest } from "../../qa/start-app.ts";
import { retinueHome } from "../../settings/retinue-home.ts";
import { toPrintable } from "../../terminal/printable.ts";
import type { Surroundings } from "../surroundings.ts";
import { askYes } from "../trust/ask-yes.ts";

export type Agreement = { readonly workspace: string; readonly isAgreed: boolean };

/** Throws where nobody agreed. */
export const agreeToApp = async (
  app: AppUnderTest,
  { workspace, isAgreed }: Agreement,
  surroundings: Surroundings,
): Promise<void> => {
  if (isAgreed) return;
  const agreements = createAppAgreements(retinueHome(surroundings.env), await realpath(workspace));
  if (await agreements.isAgreed(app)) return;
  const { stdin, stderr } = surroundings;
  if (stdin.isTTY !== true || !stderr.isTerminal)
    throw new Error(`Nobody has agreed to start the application by ${JSON.stringify(app.command)}. --trust-app agrees to it.`);
  const shown = toPrintable(app.command, "line");
  if (!(await askYes(`The suite starts its application, outside of the sandbox, by\n  ${shown}\nStart it? [y/N] `, surroundings)))
    throw new Error("Starting the application was refused.");
  await agreements.agree(app);
};
