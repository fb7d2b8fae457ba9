/** Asks before the application of a suite, or a program on the screen of a case, is started: both run outside of the sandbox, with the user's own rights. */
import { realpath } from "node:fs/promises";
import type { LoadedCase } from "@retinue/qa";
import { desktopOf } from "@retinue/qa";
import type { StartedCommand } from "../../qa/app-agreement.ts";
import { createAppAgreements, digestStarted } from "../../qa/app-agreement.ts";
import type { AppUnderTest } from "../../qa/start-app.ts";
import { retinueHome } from "../../settings/retinue-home.ts";
import { toPrintable } from "../../terminal/printable.ts";
import type { Surroundings } from "../surroundings.ts";
import { askYes } from "../trust/ask-yes.ts";

export type Agreement = {
  readonly workspace: string;
  /** What was agreed to beforehand, as it was when the run began. Undefined: nothing was. */
  readonly begun: ReadonlyMap<string, string | undefined> | undefined;
};

/** `isAgreed`: to all that these cases start. */
export const createAgreement = async (workspace: string, cases: readonly LoadedCase[], isAgreed: boolean): Promise<Agreement> => {
  if (!isAgreed) return { workspace, begun: undefined };
  const project = await realpath(workspace);
  const commands = new Set(
    cases.flatMap((loaded) => [...(loaded.suite.app ? [loaded.suite.app.command] : []), ...(desktopOf(loaded)?.programs ?? [])]),
  );
  const begun = new Map<string, string | undefined>();
  for (const command of commands) begun.set(command, await digestStarted(command, project));
  return { workspace, begun };
};

/** Throws where nobody agreed. */
export const agreeToApp = (app: AppUnderTest, agreement: Agreement, surroundings: Surroundings): Promise<void> =>
  agreeTo(app, { who: "The suite", what: "its application" }, agreement, surroundings);

/** Throws where nobody agreed. */
export const agreeToProgram = (command: string, agreement: Agreement, surroundings: Surroundings): Promise<void> =>
  agreeTo({ command }, { who: "The case", what: "a program on its screen" }, agreement, surroundings);

const agreeTo = async (
  started: StartedCommand,
  { who, what }: { readonly who: string; readonly what: string },
  { workspace, begun }: Agreement,
  surroundings: Surroundings,
): Promise<void> => {
  const project = await realpath(workspace);
  if (begun !== undefined) {
    if (begun.get(started.command) === (await digestStarted(started.command, project))) return;
    throw new Error(
      `Files that ${JSON.stringify(started.command)} runs were changed since the tests began, so that it was not started.`,
    );
  }
  const agreements = createAppAgreements(retinueHome(surroundings.env), project);
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
