/** Verifies a PostgreSQL store: every session against its chain, and the words of the search index. */
import type { SessionId } from "@retinue/protocol";
import { fromEventBody } from "../chain.ts";
import { fromColumnText } from "../column-text.ts";
import { MAX_SEQ, toEventKey } from "../event-key.ts";
import type { StoredSession } from "../find-damage.ts";
import { findDamage } from "../find-damage.ts";
import { HAS_ENDED_OR_IS_NO_MODEL_CALL } from "../message-row.ts";
import type { SessionRow } from "../project-session.ts";
import type { Damage, Verification, VerifyProgress } from "../read-side.ts";
import { finishWithPauses } from "../steps.ts";
import { readSessionTurns } from "./turn-rows.ts";
import { readSessionApprovals } from "./approval-rows.ts";
import { readArtifacts } from "./artifact-rows.ts";
import type { Query } from "./database.ts";
import { fromNameKey, toNameKey } from "./name-key.ts";
import { fromMessageRows, fromSessionRows, readLongNames, SELECT_MESSAGES, toSeq } from "./postgres-rows.ts";
import { toWordParts } from "./said-words.ts";

/** `query` reads from one state of the database. */
export const verifyStore = async (
  query: Query,
  sessionId: SessionId | undefined,
  told: (progress: VerifyProgress) => void = () => {},
): Promise<Verification> => {
  const rows =
    sessionId === undefined
      ? await query("SELECT * FROM ~sessions ORDER BY number")
      : await query("SELECT * FROM ~sessions WHERE session_id = $1", [toNameKey(sessionId)]);
  const sessions = await fromSessionRows(query, rows);
  const damage: Damage[] = [];
  let events = 0;
  for (const [done, session] of sessions.entries()) {
    told({ of: "sessions", done, all: sessions.length });
    const found = await verifySession(query, session);
    if (found !== undefined) damage.push(found);
    events += session.headSeq;
  }
  const whole = sessionId === undefined ? await verifyCounts(query, sessions) : [];
  return { sessions: sessions.length, events, damage: [...whole, ...damage] };
};

const verifyCounts = async (query: Query, sessions: readonly SessionRow[]): Promise<readonly Damage[]> => {
  const expected = {
    events: sum(sessions.map((session) => session.headSeq)),
    messages: sum(sessions.map((session) => session.messageCount)),
    runs: sum(sessions.map((session) => session.runCount)),
  };
  const damage: Damage[] = [];
  for (const table of ["events", "messages", "runs"] as const) {
    const where = table === "messages" ? HAS_ENDED_OR_IS_NO_MODEL_CALL : "true";
    const [row] = await query(`SELECT count(*) AS n FROM ~${table} m WHERE ${where}`);
    if (row?.["n"] !== expected[table])
      damage.push({ sessionId: null, seq: null, what: `there are ${table} of no session, or fewer than the sessions count` });
  }
  return damage;
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const verifySession = async (query: Query, session: SessionRow): Promise<Damage | undefined> => {
  const range = [toEventKey(session.number, 0), toEventKey(session.number, MAX_SEQ)];
  const eventRows = await query("SELECT * FROM ~events WHERE id BETWEEN $1 AND $2 ORDER BY id", range);
  const runRows = await query("SELECT run_id, message_id, epoch, is_root FROM ~runs WHERE session_number = $1", [session.number]);
  const longNames = await readLongNames(query, [...eventRows, ...runRows]);
  const stored: StoredSession = {
    session,
    events: eventRows.map((row) => ({
      seq: toSeq(row["id"]),
      body: String(row["body"]),
      hash: String(row["hash"]),
      runId: fromNameKey(String(row["run_id"]), longNames),
      type: String(row["type"]),
      at: fromColumnText(String(row["at"])),
    })),
    messages: await fromMessageRows(query, await query(`${SELECT_MESSAGES} WHERE m.id BETWEEN $1 AND $2 ORDER BY m.id`, range)),
    runs: runRows.map((row) => ({
      runId: fromNameKey(String(row["run_id"]), longNames),
      messageId: Number(row["message_id"]),
      epoch: Number(row["epoch"]),
      isRoot: row["is_root"] === true,
    })),
    approvals: await readSessionApprovals(query, session.number),
    queue: await readSessionTurns(query, session.number),
    artifacts: await readArtifacts(query, session.sessionId),
  };
  const damage = await finishWithPauses(findDamage(stored));
  if (damage !== undefined) return damage;

  const said = new Map<number, string[]>();
  for (const row of await query(
    "SELECT id, tsvector_to_array(words) AS words FROM ~said WHERE id BETWEEN $1 AND $2 ORDER BY id, part",
    range,
  )) {
    const id = Number(row["id"]);
    said.set(id, [...(said.get(id) ?? []), ...(row["words"] as string[])]);
  }
  for (const row of eventRows) {
    const event = fromEventBody(String(row["body"]));
    const expected = event === undefined ? [] : toWordParts(event).flat();
    const actual = said.get(Number(row["id"])) ?? [];
    if (JSON.stringify(expected.toSorted()) !== JSON.stringify(actual.toSorted()))
      return { sessionId: session.sessionId, seq: toSeq(row["id"]), what: "the search index does not hold its words" };
  }
  return undefined;
};
