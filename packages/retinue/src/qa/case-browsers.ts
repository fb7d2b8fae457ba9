/**
 * The browsers of test cases: each case has a context of its own, as its file says, and a case that names a role begins with what that role's browser kept of its
 * login. What was kept stays in memory, and in no file.
 */
import type { SessionId } from "@retinue/protocol";
import type { CaseResult, Recording } from "@retinue/protocol/test-case";
import type { LoadedCase, QaPorts, WantedBrowser } from "@retinue/qa";
import { roleOf, runCase } from "@retinue/qa";
import type { ApprovalRequest } from "@retinue/runtime";
import type { Browsers } from "@retinue/tools";
import { createMailpitInbox } from "@retinue/tools";

type StorageState = Awaited<ReturnType<NonNullable<ReturnType<Browsers["find"]>>["storageState"]>>;

export type CaseBrowsers = {
  readonly configure: (sessionId: SessionId, wanted: WantedBrowser) => void;
  /** Whether a secret may be typed: one that the case names, into a page of the application under test or on a screen of the case's own, and nowhere else. */
  readonly allows: (request: ApprovalRequest) => boolean;
  /** What nobody may overlook in the browser of a case that is over. */
  readonly problems: (sessionId: SessionId) => readonly string[];
  /** Ends what the browser of a case recorded, and keeps it where that is wanted of a case with this verdict. */
  readonly keepRecordings: (result: CaseResult) => Promise<CaseResult>;
  /** Null once the role is logged in, or why it is not. */
  readonly logIn: (role: string, loaded: LoadedCase) => Promise<string | null>;
};

/** off, on, or only of cases that did not pass. */
export type RecordingMode = "off" | "on" | "retain-on-failure";

export type CaseBrowsersOptions = {
  readonly browsers: Browsers | undefined;
  readonly ports: () => QaPorts;
  readonly signal: AbortSignal;
  /** The values of secrets by their names. */
  readonly secretsOf: (names: readonly string[]) => ReadonlyMap<string, string>;
  /** Whether a session has a screen of its own. */
  readonly hasScreen: (sessionId: SessionId) => boolean;
  readonly record: Readonly<Record<Recording["kind"], RecordingMode>>;
  /** Gives the file that it was written to. */
  readonly keep: (sessionId: SessionId, kind: Recording["kind"], data: Buffer) => Promise<string>;
};

/** Acts name the port always, lists only where it is not the usual one. */
const isNamed = (host: string, allowHosts: readonly string[]): boolean =>
  allowHosts.includes(host) || allowHosts.includes(host.replace(/:(?:80|443)$/, ""));

export const createCaseBrowsers = (options: CaseBrowsersOptions): CaseBrowsers => {
  const { browsers, ports, signal, hasScreen, secretsOf, record, keep } = options;
  const kept = new Map<string, StorageState>();
  const known = new Map<SessionId, Pick<WantedBrowser, "allowHosts" | "secrets">>();
  return {
    configure: (sessionId, { role, secrets, inbox, ...wanted }) => {
      known.set(sessionId, { allowHosts: wanted.allowHosts, secrets });
      const storageState = role === undefined ? undefined : kept.get(role);
      browsers?.configure(sessionId, {
        ...wanted,
        ...(storageState === undefined ? {} : { storageState }),
        secrets: secretsOf(secrets),
        trace: record.trace !== "off",
        video: record.video !== "off",
        ...(inbox ? { inbox: createMailpitInbox(inbox.mailpit, wanted.allowHosts), mailPattern: inbox.pattern } : {}),
      });
    },
    allows: ({ run: { sessionId }, act }) => {
      const wanted = known.get(sessionId);
      if (!wanted || act.secrets === undefined || !act.secrets.every((name) => wanted.secrets.includes(name))) return false;
      if (act.tool === "type") return hasScreen(sessionId);
      return act.tool === "browser_type" && act.hosts.length > 0 && act.hosts.every((host) => isNamed(host, wanted.allowHosts));
    },
    problems: (sessionId) =>
      (browsers?.find(sessionId)?.log.dialogs ?? [])
        .filter(({ isUnexpected }) => isUnexpected)
        .map(
          ({ kind, message }) =>
            `A dialog came up that the case does not speak of, and was dismissed: ${kind} ${JSON.stringify(message.slice(0, 300))}. Say in dialogs how it is answered.`,
        ),
    keepRecordings: async (result) => {
      const { sessionId, verdict, attempt, problems } = result;
      const session = sessionId === null ? undefined : browsers?.find(sessionId);
      if (sessionId === null || !session) return result;
      const isWanted = (kind: Recording["kind"]): boolean =>
        record[kind] === "on" || (record[kind] === "retain-on-failure" && verdict !== "pass");
      try {
        const taken = await session.takeRecordings();
        const recordings: Recording[] = [];
        for (const kind of ["trace", "video"] as const) {
          const data = taken[kind];
          if (data && isWanted(kind))
            recordings.push({ kind, file: await keep(sessionId, kind, data), bytes: data.length, attempt });
        }
        return recordings.length === 0 ? result : { ...result, recordings };
      } catch (thrown) {
        const why = thrown instanceof Error ? (thrown.message.split("\n", 1)[0] ?? "") : String(thrown);
        return { ...result, problems: [...problems, `What was recorded of the browser is lost: ${why}`] };
      }
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
      kept.set(roleOf(loaded) ?? role, state);
      return null;
    },
  };
};
