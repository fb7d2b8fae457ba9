/**
 * Whether the user has agreed to have the application of a suite, or a program on the screen of a case, started: it runs outside of the sandbox, with the user's own rights. What was agreed to
 * holds for this command line in this folder, and for no other.
 */
import { createTrustStore, digestOf, type TrustClaim } from "@retinue/confine/trust";
import path from "node:path";
import type { AppUnderTest } from "./start-app.ts";

/** An application has an address; a program on a screen has none. */
export type StartedCommand = Pick<AppUnderTest, "command"> | Pick<AppUnderTest, "command" | "url">;

export type AppAgreements = {
  readonly isAgreed: (started: StartedCommand) => Promise<boolean>;
  readonly agree: (started: StartedCommand) => Promise<void>;
};

/** `home` is the user's own folder, `project` the real path of the workspace. */
export const createAppAgreements = (home: string, project: string): AppAgreements => {
  const trust = createTrustStore({ file: path.join(home, "trust.json") });
  const toClaim = (started: StartedCommand): TrustClaim => ({
    project,
    subject: "url" in started ? `test-app:${started.url}` : "test-desktop",
    hash: digestOf(started.command),
    shown: started.command,
  });
  return {
    isAgreed: async (app) => trust.isTrusted(toClaim(app)),
    agree: async (app) => trust.grant([toClaim(app)]),
  };
};
