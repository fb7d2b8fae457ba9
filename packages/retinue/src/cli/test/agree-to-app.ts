/** Asks before the application of a suite, or a program on the screen of a case, is started: both run outside of the sandbox, with the user's own rights. */
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
export const agreeToApp = ({ command, url }: AppUnderTest, agreement: Agreement, surroundings: Surroundings): Promise<void> =>
  agreeTo({ command, subject: `test-app:${url}`, who: "The suite", what: "the application" }, agreement, surroundings);

/** Throws where nobody agreed. What was agreed to once holds for this command line. */
export const agreeToProgram = (command: string, agreement: Agreement, surroundings: Surroundings): Promise<void> =>
  agreeTo({ command, subject: "test-desktop", who: "The case", what: "a program on its screen" }, agreement, surroundings);

type Started = { readonly command: string; readonly subject: string; readonly who: string; readonly what: string };

const agreeTo = async (
  { command, subject, who, what }: Started,
  { workspace, isAgreed }: Agreement,
  surroundings: Surroundings,
): Promise<void> => {
  if (isAgreed) return;
  const trust = createTrustStore({ file: path.join(retinueHome(surroundings.env), "trust.json") });
  const claim: TrustClaim = {
    project: await realpath(workspace),
    subject,
    hash: digestOf(command),
    shown: command,
  };
  if (await trust.isTrusted(claim)) return;
  const { stdin, stderr } = surroundings;
  if (stdin.isTTY !== true || !stderr.isTerminal)
    throw new Error(`Nobody has agreed to start ${what} by ${JSON.stringify(command)}. --trust-app agrees to it.`);
  const shown = toPrintable(command, "line");
  if (!(await askYes(`${who} starts ${what}, outside of the sandbox, by\n  ${shown}\nStart it? [y/N] `, surroundings)))
    throw new Error(`Starting ${what} was refused.`);
  await trust.grant([claim]);
};
