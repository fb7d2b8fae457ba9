import type { SessionId } from "@retinue/protocol";
import { describe, expect, it, vi } from "vitest";
import { createRunDrafts } from "../testing/session-drafts.ts";
import { createTestFolder } from "../testing/test-folder.ts";
import type { SqliteLog } from "./sqlite-log.ts";
import { createSqliteLog } from "./sqlite-log.ts";

const folder = createTestFolder();

const LONG = { timeout: 20_000 };

const begin = async (log: SqliteLog, sessionId: SessionId): Promise<void> => {
  const run = createRunDrafts({ sessionId, runId: `run_of_${sessionId}` });
  await log.append([run.requested("x")]);
  const lease = await log.lease(run.identity.runId);
  await log.append([run.started(lease.epoch), run.settled()], lease);
};

const say = async (log: SqliteLog, sessionId: SessionId): Promise<void> => {
  const run = createRunDrafts({ sessionId, runId: `run_next_of_${sessionId}` });
  await log.append([run.requested("more")]);
};

/** One log that watches two sessions together, and another on the same file, as another process would have it. */
const open = async () => {
  const path = folder.file();
  const [log, other] = [createSqliteLog({ path }), createSqliteLog({ path })];
  for (const sessionId of ["ses_a", "ses_b", "ses_c", "ses_d"] as const) await begin(other, sessionId);
  const woken = new Set<SessionId>();
  log.watchAny(new Set<SessionId>(["ses_a", "ses_b"]), (sessionId) => woken.add(sessionId));
  return { other, woken, close: () => Promise.all([log.close(), other.close()]) };
};

describe("sessions that are watched together in a SQLite file", () => {
  it("wake for what others append, also twice in a row to the same one", LONG, async () => {
    const { other, woken, close } = await open();
    await say(other, "ses_b");
    await vi.waitFor(() => expect(woken).toContain("ses_b"), LONG);
    woken.clear();
    const run = createRunDrafts({ sessionId: "ses_b", runId: "run_last" });
    await other.append([run.requested("again")]);
    await vi.waitFor(() => expect(woken).toContain("ses_b"), LONG);
    await close();
  });

  it("wake though the sessions that were written to last were deleted", LONG, async () => {
    const { other, woken, close } = await open();
    for (const sessionId of ["ses_c", "ses_d"] as const) await other.readSide.deleteSession(sessionId);
    await say(other, "ses_a");
    await vi.waitFor(() => expect(woken).toContain("ses_a"), LONG);
    await close();
  });
});
