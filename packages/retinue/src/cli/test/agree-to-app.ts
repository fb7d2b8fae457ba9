/** Asks before the application of a suite is started: it runs outside of the sandbox, with the user's own rights. */
import { realpath } from "node:fs/promises";
import path from "node:path";
import { createTrustStore, digestOf, type TrustClaim } from "@retinue/confine/trust";
import type { AppUnderTest } from "../../qa/start-app.ts";
import { retinueHome } from "../../settings/retinue-home.ts";
import { toPrintable } from "../../terminal/printable.ts";
import type { Surroundings } from "../surroundings.ts";
import { askYes } from "../trust/ask-yes.ts";

export type Agreement = { readonly workspace: string; readonly isAgreed: boolean };

/** Throws where nobody agreed. What was agreed to once holds for this command line. */
export const agreeToApp = async (
  app: AppUnderTest,
  { workspace, isAgreed }: Agreement,
  surroundings: Surroundings,
): Promise<void> => {
  if (isAgreed) return;
  const trust = createTrustStore({ file: path.join(retinueHome(surroundings.env), "trust.json") });
  const claim: TrustClaim = {
    project: await realpath(workspace),
    subject: `test-app:${app.url}`,
    hash: digestOf(app.command),
    shown: app.command,
  };
  if (await trust.isTrusted(claim)) return;
  const { stdin, stderr } = surroundings;
  if (stdin.isTTY !== true || !stderr.isTerminal)
    throw new Error(`Nobody has agreed to start the application by ${JSON.stringify(app.command)}. --trust-app agrees to it.`);
  const shown = toPrintable(app.command, "line");
  if (!(await askYes(`The suite starts its application, outside of the sandbox, by\n  ${shown}\nStart it? [y/N] `, surroundings)))
    throw new Error("Starting the application was refused.");
  await trust.grant([claim]);
};
