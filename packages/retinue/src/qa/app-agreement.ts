/**
 * Whether the user has agreed to have the application of a suite, or a program on the screen of a case, started: it runs outside of the sandbox, with the user's own rights. What was agreed to
 * holds for this command line in this folder with the files that it runs as they were, and for nothing else: agents write in the same folder.
 */
import { createTrustStore, digestCommandFiles, digestOf, type TrustClaim } from "@retinue/confine/trust";
import path from "node:path";
import type { AppUnderTest } from "./start-app.ts";

/** An application has an address; a program on a screen has none. */
export type StartedCommand = Pick<AppUnderTest, "command"> | Pick<AppUnderTest, "command" | "url">;

export type AppAgreements = {
  readonly isAgreed: (started: StartedCommand) => Promise<boolean>;
  readonly agree: (started: StartedCommand) => Promise<void>;
};

/** The command line with the content of the files that it runs; undefined where those cannot all be looked at. */
export const digestStarted = async (command: string, project: string): Promise<string | undefined> => {
  const files = await digestCommandFiles({ root: project, texts: [command] }).catch(() => undefined);
  return files && digestOf(JSON.stringify([command, files]));
};

/** `home` is the user's own folder, `project` the real path of the workspace. */
export const createAppAgreements = (home: string, project: string): AppAgreements => {
  const trust = createTrustStore({ file: path.join(home, "trust.json") });
  const toClaim = async (started: StartedCommand): Promise<TrustClaim | undefined> => {
    const hash = await digestStarted(started.command, project);
    const subject = "url" in started ? `test-app:${started.url}` : "test-desktop";
    return hash === undefined ? undefined : { project, subject, hash, shown: started.command };
  };
  return {
    isAgreed: async (started) => {
      const claim = await toClaim(started);
      return claim !== undefined && (await trust.isTrusted(claim));
    },
    // What cannot be looked at is asked about each time.
    agree: async (started) => {
      const claim = await toClaim(started);
      if (claim) await trust.grant([claim]);
    },
  };
};
