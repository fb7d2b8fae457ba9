/**
 * Whether the user has agreed to have the application of a suite started: it runs outside of the sandbox, with the user's own rights. What was agreed to
 * holds for this command line in this folder, and for no other.
 */
import { createTrustStore, digestOf, type TrustClaim } from "@retinue/confine/trust";
import path from "node:path";
import type { AppUnderTest } from "./start-app.ts";

export type AppAgreements = {
  readonly isAgreed: (app: AppUnderTest) => Promise<boolean>;
  readonly agree: (app: AppUnderTest) => Promise<void>;
};

/** `home` is the user's own folder, `project` the real path of the workspace. */
export const createAppAgreements = (home: string, project: string): AppAgreements => {
  const trust = createTrustStore({ file: path.join(home, "trust.json") });
  const toClaim = (app: AppUnderTest): TrustClaim => ({
    project,
    subject: `test-app:${app.url}`,
    hash: digestOf(app.command),
    shown: app.command,
  });
  return {
    isAgreed: async (app) => trust.isTrusted(toClaim(app)),
    agree: async (app) => trust.grant([toClaim(app)]),
  };
};
