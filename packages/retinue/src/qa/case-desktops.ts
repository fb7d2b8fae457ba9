/** The screens of test cases: each case has an Xvfb of its own, with the programs that it names, once somebody has agreed to start them. */
import type { SessionId } from "@retinue/protocol";
import type { Desktop } from "@retinue/protocol/test-case";
import type { LoadedCase } from "@retinue/qa";
import { desktopOf } from "@retinue/qa";
import type { Desktops } from "@retinue/tools";

export type CaseDesktops = {
  /** `secrets` are the names of those that may be typed on it. */
  readonly configure: (sessionId: SessionId, wanted: Desktop, secrets: readonly string[]) => void;
  /** Whether the session has a screen of its own. */
  readonly has: (sessionId: SessionId) => boolean;
  /** Null where the case can have its screen, or why it cannot. */
  readonly need: (loaded: LoadedCase) => Promise<string | null>;
};

const SIZE = { width: 1280, height: 720 };

export type CaseDesktopsOptions = {
  /** Throws where nobody has agreed to start this command line. */
  readonly agree: (command: string) => Promise<void>;
  /** The values of secrets by their names. */
  readonly secretsOf: (names: readonly string[]) => ReadonlyMap<string, string>;
};

export const createCaseDesktops = (desktops: Desktops | undefined, { agree, secretsOf }: CaseDesktopsOptions): CaseDesktops => {
  const known = new Set<SessionId>();
  /** One at a time: who has agreed to a command line is not asked about it by the next case as well. */
  let asking: Promise<void> = Promise.resolve();
  const inTurn = (line: string): Promise<void> => (asking = asking.catch(() => undefined).then(() => agree(line)));
  return {
    configure: (sessionId, { size = SIZE, programs = [] }, secrets) => {
      known.add(sessionId);
      desktops?.configure(sessionId, { ownScreen: size, programs: programs.map(toWords), secrets: secretsOf(secrets) });
    },
    has: (sessionId) => known.has(sessionId),
    need: async (loaded) => {
      const desktop = desktopOf(loaded);
      if (!desktop) return null;
      if (!desktops) return "There are no tools of the screen here.";
      const { programs = [] } = desktop;
      const missing = desktops.findMissing(programs.map((line) => line.trim().split(/\s+/, 1)[0] ?? ""));
      if (missing !== null) return missing;
      try {
        for (const line of programs) await inTurn(line);
        return null;
      } catch (thrown) {
        return thrown instanceof Error ? thrown.message : String(thrown);
      }
    },
  };
};

const toWords = (line: string): readonly string[] => ["/bin/sh", "-c", `exec ${line}`];
