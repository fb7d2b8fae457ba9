/**
 * `retinue trust`: shows in full what the project would load, start or set, and lets it after a yes. What is agreed to is what was shown:
 * when the project changes it, it needs a new yes.
 */
import { createTrustStore } from "@retinue/confine/trust";
import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findProjectFile } from "../../settings/find-project-file.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import { retinueHome } from "../../settings/retinue-home.ts";
import { toJsonLine } from "../../terminal/json-line.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { count } from "../amounts.ts";
import { EXIT } from "../exit-code.ts";
import { withInventory } from "../inventory.ts";
import type { SessionOptions } from "../session-options.ts";
import { toWorkspace } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";
import { askYes } from "./ask-yes.ts";
import { toUntrustedClaims } from "./untrusted-claims.ts";

/** To the letter: what a project calls a secret, in a file of its own, must not be cut out of the very command that is asked about. */
const show = (text: string): string => toPrintable(text, "line");

const unchanged = (text: string): string => text;

export type TrustOptions = Pick<SessionOptions, "workspace"> & {
  readonly yes?: boolean;
  readonly revoke?: boolean;
  readonly json?: boolean;
};

export const trustCommand = async (
  { yes, revoke, json, ...options }: TrustOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const { stdout, stderr, env } = surroundings;
  const workspace = await realpath(toWorkspace(options));
  const trust = createTrustStore({ file: join(retinueHome(env), "trust.json") });

  if (revoke === true) {
    // Even where the settings are broken.
    const file = await findProjectFile(workspace);
    const projects = new Set([workspace, ...(file === undefined ? [] : [await realpath(dirname(file))])]);
    for (const project of projects) {
      await trust.revoke(project);
      if (json !== true) await stdout.write(`Nothing of ${show(project)} is trusted any more.\n`);
    }
    if (json === true) await stdout.write(`${toJsonLine({ workspace, revoked: [...projects] }, unchanged)}\n`);
    return EXIT.done;
  }

  const loaded = await loadSettings({ workspace, env });
  const { settings } = loaded;
  const { findSecrets } = await import("../../secrets/find-secrets.ts");
  surroundings.learn(await findSecrets({ env, settings, workspace, servers: settings.mcpServers }));
  const claims = await withInventory({ workspace, settings, env }, async (inventory) => toUntrustedClaims(inventory, loaded));
  if (json === true) {
    // Nobody is asked: without --yes it only shows.
    const isTrusted = yes === true && claims.length > 0;
    if (isTrusted) await trust.grant(claims);
    const asked = claims.map(({ subject, shown }) => ({ subject, shown }));
    await stdout.write(`${toJsonLine({ workspace, asked, trusted: isTrusted }, unchanged)}\n`);
    return EXIT.done;
  }
  if (claims.length === 0) {
    await stdout.write(`${show(workspace)} asks for nothing that it is not trusted for.\n`);
    return EXIT.done;
  }
  await stdout.write(`${show(workspace)} would load, start or set:\n`);
  for (const { subject, shown } of claims) await stdout.write(`  ${show(subject)}\n    ${show(shown)}\n`);
  await stdout.flush();
  if (yes !== true && !(await askYes("It would run with your rights. Trust it? [y/N] ", surroundings))) {
    await stderr.write("retinue: nothing was trusted.\n");
    return EXIT.done;
  }
  await trust.grant(claims);
  await stdout.write(`${count(claims.length, "thing")} trusted, as shown; a change needs a new yes.\n`);
  return EXIT.done;
};
