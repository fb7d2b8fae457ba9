/**
 * The browsers of test cases: each case has a context of its own, as its file says, and a case that names a role begins with what that role's browser kept of its
 * login. What was kept stays in memory, and in no file.
 */
import type { SessionId } from "@retinue/protocol";
import type { LoadedCase, QaPorts, WantedBrowser } from "@retinue/qa";
import { runCase } from "@retinue/qa";
import type { ApprovalRequest } from "@retinue/runtime";
import type { Browsers } from "@retinue/tools";
import { createMailpitInbox } from "@retinue/tools";

type StorageState = Awaited<ReturnType<NonNullable<ReturnType<Browsers["find"]>>["storageState"]>>;

export type CaseBrowsers = {
  readonly configure: (sessionId: SessionId, wanted: WantedBrowser) => void;
  /** Whether a secret may be typed: one that the case names, into a page of the application under test, and nowhere else. */
  readonly allows: (request: ApprovalRequest) => boolean;
  /** Null once the role is logged in, or why it is not. */
  readonly logIn: (role: string, loaded: LoadedCase) => Promise<string | null>;
};

export const createCaseBrowsers = (browsers: Browsers | undefined, ports: () => QaPorts, signal: AbortSignal): CaseBrowsers => {
  const kept = new Map<string, StorageState>();
  const known = new Map<SessionId, Pick<WantedBrowser, "allowHosts" | "secrets">>();
  return {
    configure: (sessionId, { role, secrets, inbox, ...wanted }) => {
      known.set(sessionId, { allowHosts: wanted.allowHosts, secrets });
      const storageState = role === undefined ? undefined : kept.get(role);
      browsers?.configure(sessionId, {
        ...wanted,
        ...(storageState === undefined ? {} : { storageState }),
        ...(inbox ? { inbox: createMailpitInbox(inbox.mailpit, wanted.allowHosts), mailPattern: inbox.pattern } : {}),
      });
    },
    allows: ({ run: { sessionId }, act }) => {
      const wanted = known.get(sessionId);
      const page = URL.parse(browsers?.find(sessionId)?.currentPage?.url() ?? "");
      if (!wanted || page === null || act.tool !== "browser_type" || act.secrets === undefined) return false;
      return wanted.allowHosts.includes(page.host) && act.secrets.every((name) => wanted.secrets.includes(name));
    },
    logIn: async (role, loaded) => {
      const steps = loaded.suite.roles?.[role]?.steps;
      if (!steps || !browsers) return `The role "${role}" cannot log in.`;
      const { secrets = [], variables } = loaded.testCase;
      const testCase = { title: `Log in as ${role}`, steps, secrets, ...(variables === undefined ? {} : { variables }) };
      const result = await runCase({ ...loaded, id: `${loaded.suiteFile ?? ""}#${role}`, testCase }, ports(), {
        attempt: 1,
        signal,
      });
      if (result.verdict !== "pass")
        return `The role "${role}" could not log in: ${result.reason} (${result.sessionId ?? "no session"})`;
      const state = result.sessionId === null ? undefined : await browsers.find(result.sessionId)?.storageState();
      if (!state) return `The browser of the role "${role}" is gone already.`;
      kept.set(role, state);
      return null;
    },
  };
};
