/** From what a user wrote to a session: its id, the beginning of it with or without `ses_`, or `latest`. */
import type { SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { ReadSide, SessionRow } from "@retinue/store";
import { eachPage } from "./each-page.ts";

export type FindOptions = { readonly sessions: ReadSide; readonly workspace: string };

const PREFIX = "ses_";
/** As many as are named when a beginning fits several. */
const MOST_NAMED = 5;

/** Throws `session_unknown`, or `usage` where the beginning fits more than one. */
export const findSession = async (name: string, { sessions, workspace }: FindOptions): Promise<SessionRow> => {
  if (name === "latest") {
    const latest = await findLatest({ sessions, workspace });
    if (latest) return latest;
    throw new RetinueError("session_unknown", `There is no session of the folder ${workspace} yet.`, {
      hint: "`retinue sessions list --all` lists those of other folders; -C names one.",
    });
  }
  const exact = await sessions.session(name as SessionId);
  if (exact) return exact;
  const found = await findByBeginning(name.startsWith(PREFIX) ? name : PREFIX + name, sessions);
  const [only, ...others] = found;
  if (only === undefined || name === "" || name === PREFIX)
    throw new RetinueError("session_unknown", `There is no session ${name === "" ? "without an id" : name}.`, {
      hint: "`retinue sessions list --all` lists them.",
    });
  if (others.length > 0) {
    const named = found.slice(0, MOST_NAMED).map(({ sessionId }) => sessionId);
    const more = found.length > named.length ? ` and ${found.length - named.length} more` : "";
    throw new RetinueError("usage", `${found.length} sessions begin with ${name}: ${named.join(", ")}${more}.`, {
      hint: "Give more of the id.",
    });
  }
  return only;
};

/** The session of the workspace that was written to last. */
export const findLatest = async ({ sessions, workspace }: FindOptions): Promise<SessionRow | undefined> =>
  (await sessions.listSessions({ workspace, order: "updated", limit: 1 })).items[0];

/** The one of these sessions that was written to last. */
export const findLatestOf = async (
  ids: ReadonlySet<SessionId>,
  { sessions, workspace }: FindOptions,
): Promise<SessionId | undefined> => {
  for await (const items of eachPage((page) => sessions.listSessions({ workspace, order: "updated", ...page }))) {
    const found = items.find(({ sessionId }) => ids.has(sessionId));
    if (found) return found.sessionId;
  }
  return undefined;
};

/** At work somewhere, or cut off: its row does not say which. */
export const isUnsettled = ({ status }: SessionRow): boolean => status === "pending" || status === "running";

const findByBeginning = async (beginning: string, sessions: ReadSide): Promise<readonly SessionRow[]> => {
  const found: SessionRow[] = [];
  for await (const items of eachPage((page) => sessions.listSessions(page)))
    found.push(...items.filter(({ sessionId }) => sessionId.startsWith(beginning)));
  return found;
};

/** Time and the first of what is random: enough to tell the sessions of a list apart, and to find one again. */
const SHORT_CHARS = PREFIX.length + 12;

export const shortId = (sessionId: SessionId): string => sessionId.slice(0, SHORT_CHARS);
