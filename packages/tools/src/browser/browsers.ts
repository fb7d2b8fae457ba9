/**
 * The browsers of a process: one program, and in it a context of its own for each session, opened by the first call that needs it. Whoever runs test cases
 * says how the browser of a session is to look before its first call, and finds it here to check what it shows.
 */
import type { GuardOptions } from "@retinue/confine";
import type { SessionId } from "@retinue/protocol";
import type { AnyTool, Resource } from "@retinue/runtime";
import { defineResource } from "@retinue/runtime";
import type { SecretValues } from "../fill-secrets.ts";
import type { BrowserProcessOptions } from "./browser-process.ts";
import { createBrowserProcess } from "./browser-process.ts";
import { BrowserSession } from "./browser-session.ts";
import { createBrowserTools } from "./browser-tools.ts";
import type { BrowserSessionOptions } from "./session-options.ts";

export type BrowsersOptions = BrowserProcessOptions &
  GuardOptions & {
    /** What `{{secret:NAME}}` may stand for; nothing by default. */
    readonly secrets?: () => SecretValues;
    /** Origins that a secret may be typed at, by its name; one that is not listed goes where a human lets it. */
    readonly secretOrigins?: Readonly<Record<string, readonly string[]>>;
    /** Answers questions about screenshots; without it the agent's own model, if it reads images. */
    readonly visionModel?: string | undefined;
    /** Of sessions that nobody said anything of. */
    readonly session?: BrowserSessionOptions;
  };

export type Browsers = {
  readonly tools: readonly AnyTool[];
  /** How the browser of a session looks and behaves; holds for those opened from now on. */
  readonly configure: (sessionId: SessionId, options: BrowserSessionOptions) => void;
  /** Undefined where the session has none open. */
  readonly find: (sessionId: SessionId) => BrowserSession | undefined;
  /** Ends the program; sessions that are open end with it. */
  readonly close: () => Promise<void>;
};

const NO_SECRETS: SecretValues = new Map();

export const createBrowsers = (options: BrowsersOptions): Browsers => {
  const { executable, headless, cacheFolder, env, secrets = () => NO_SECRETS, visionModel, session = {} } = options;
  const { secretOrigins = {}, allowHosts, denyHosts, resolve } = options;
  const rules: GuardOptions = {
    ...(allowHosts === undefined ? {} : { allowHosts }),
    ...(denyHosts === undefined ? {} : { denyHosts }),
    ...(resolve === undefined ? {} : { resolve }),
  };
  const program = createBrowserProcess({ executable, headless, cacheFolder, env });
  const wanted = new Map<SessionId, BrowserSessionOptions>();
  const open = new Map<SessionId, BrowserSession>();
  const browser: Resource<BrowserSession> = defineResource({
    name: "browser",
    per: "session",
    open: async ({ sessionId }) => {
      const opened = await BrowserSession.open({
        process: program,
        rules,
        secrets,
        session: { ...session, ...wanted.get(sessionId) },
      });
      open.set(sessionId, opened);
      return opened;
    },
    close: async (held) => {
      for (const [sessionId, opened] of open) if (opened === held) open.delete(sessionId);
      await held.close();
    },
  });
  return {
    tools: createBrowserTools({
      browser,
      visionModel,
      addressOf: (run) => (run === undefined ? undefined : open.get(run.sessionId)?.currentPage?.url()),
      secretOrigins,
    }),
    configure: (sessionId, given) => void wanted.set(sessionId, given),
    find: (sessionId) => open.get(sessionId),
    close: program.close,
  };
};
