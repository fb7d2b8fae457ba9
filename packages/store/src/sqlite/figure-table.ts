/**
 * The figures of every session, hour by hour, so that statistics over all of them need not go through all messages. They
 * trail the log: each session remembers how far it is counted, whoever asks has what changed counted anew first, and
 * pauses are used for sessions that have settled. Everything that writes happens inside a transaction of the caller.
 */
import type { SessionId } from "@retinue/protocol";
import { toColumnText } from "../column-text.ts";
import { MAX_SEQ, toEventKey } from "../event-key.ts";
import { HAS_ENDED_OR_IS_NO_MODEL_CALL } from "../message-row.ts";
import { isBeingRemoved } from "./session-removal.ts";
import type { Statements } from "./statements.ts";

export type FigureTable = {
  /** The numbers of the sessions that were written to since they were counted; of one alone where it is named. */
  readonly stale: (sessionId?: SessionId) => readonly number[];
  readonly count: (sessionNumber: number) => void;
  /** Whether what stands there is what the messages say. */
  readonly isRight: (sessionNumber: number) => boolean;
  /** Whether there are figures of no session. */
  readonly hasForeign: () => boolean;
};

/** `m` is the row that counts, `r` the row of its run, `p` the row that this run hangs on. */
const FROM = `FROM messages m
  JOIN runs u ON u.run_id = m.run_id
  JOIN messages r ON r.id = u.message_id
  LEFT JOIN messages p ON p.id = r.parent_message_id`;

/** A tool call counts for the model that asked for it. */
const CALLER_MODEL = "coalesce(m.model_id, (SELECT c.model_id FROM messages c WHERE c.id = m.parent_message_id), r.model_id)";

const IS_RUN = "u.message_id = m.id";
const IS_MODEL_CALL = "m.request_type = 'continuation'";
const IS_TOOL_CALL = "m.request_type = 'tool_call'";

const sum = (of: string, where: string): string => `total(CASE WHEN ${where} THEN ${of} END)`;
/** Through a floating-point sum, which cannot overflow whatever stands in a row. */
const total = (of: string, where: string): string => `CAST(${sum(of, where)} AS INTEGER)`;

export const HOUR_CHARS = 13;

const KEY_COLUMNS = "hour, agent, parent, depth, model, bailout";

export const FIGURE_COLUMNS = [
  "runs",
  "completed",
  "partial",
  "failed",
  "cancelled",
  "timeout",
  "duration",
  "model_calls",
  "prompt",
  "completion",
  "cached",
  "reasoning",
  "cost",
  "unpriced",
  "tool_calls",
  "tool_failures",
] as const;

/** Counts messages that fit a condition. */
export const toCountSql = (
  where: string,
): string => `SELECT substr(m.started_at, 1, ${HOUR_CHARS}) AS hour, m.agent_role AS agent,
    p.agent_role AS parent, m.agent_depth AS depth, ${CALLER_MODEL} AS model, CASE WHEN ${IS_RUN} THEN m.bailout_reason END AS bailout,
    ${total("1", IS_RUN)} AS runs,
    ${["completed", "partial", "failed", "cancelled", "timeout"]
      .map((outcome) => `${total("1", `${IS_RUN} AND m.outcome = '${outcome}'`)} AS ${outcome}`)
      .join(", ")},
    ${total("m.duration_ms", IS_RUN)} AS duration,
    ${total("1", IS_MODEL_CALL)} AS model_calls,
    ${total("m.prompt_tokens", IS_MODEL_CALL)} AS prompt, ${total("m.completion_tokens", IS_MODEL_CALL)} AS completion,
    ${total("m.cached_tokens", IS_MODEL_CALL)} AS cached, ${total("m.reasoning_tokens", IS_MODEL_CALL)} AS reasoning,
    ${sum("m.cost_usd", IS_MODEL_CALL)} AS cost,
    ${total("1", `${IS_MODEL_CALL} AND m.status = 'completed' AND m.cost_usd IS NULL`)} AS unpriced,
    ${total("1", IS_TOOL_CALL)} AS tool_calls,
    ${total("1", `${IS_TOOL_CALL} AND m.status IN ('failed', 'timeout')`)} AS tool_failures
  ${FROM} WHERE (${IS_RUN} OR m.request_type IN ('continuation', 'tool_call')) AND ${HAS_ENDED_OR_IS_NO_MODEL_CALL}
    AND ${where}
  GROUP BY ${KEY_COLUMNS}`;

const ALL_COLUMNS = `${KEY_COLUMNS}, ${FIGURE_COLUMNS.join(", ")}`;
const COUNT_SESSION = toCountSql("m.id BETWEEN ?1 AND ?2");

export const createFigureTable = (statements: Statements): FigureTable => {
  const remove = (sessionNumber: number): void => {
    statements("DELETE FROM figures WHERE session_number = ?").run(sessionNumber);
    statements("DELETE FROM counted WHERE session_number = ?").run(sessionNumber);
  };
  return {
    stale: (sessionId) =>
      statements(
        `SELECT s.number FROM sessions s LEFT JOIN counted c ON c.session_number = s.number
         WHERE c.head_seq IS NOT s.head_seq AND (?1 IS NULL OR s.session_id = ?1) ORDER BY s.number`,
      )
        .all(sessionId === undefined ? null : toColumnText(sessionId))
        .map((row) => Number(row["number"])),
    count: (sessionNumber) => {
      remove(sessionNumber);
      statements(`INSERT INTO figures (session_number, ${ALL_COLUMNS}) SELECT ?3, * FROM (${COUNT_SESSION})`).run(
        ...toRange(sessionNumber),
        sessionNumber,
      );
      statements("INSERT INTO counted (session_number, head_seq) SELECT number, head_seq FROM sessions WHERE number = ?").run(
        sessionNumber,
      );
    },
    isRight: (sessionNumber) => {
      const counted = statements(
        "SELECT 1 FROM counted c JOIN sessions s ON s.number = c.session_number WHERE s.number = ? AND c.head_seq = s.head_seq",
      ).get(sessionNumber);
      if (counted === undefined) return true;
      const expected = statements(COUNT_SESSION).all(...toRange(sessionNumber));
      const actual = statements(`SELECT ${ALL_COLUMNS} FROM figures WHERE session_number = ?`).all(sessionNumber);
      return sorted(expected) === sorted(actual);
    },
    hasForeign: () =>
      ["figures", "counted"].some(
        (table) =>
          statements(`SELECT 1 FROM ${table} WHERE session_number NOT IN (SELECT number FROM sessions)
               AND NOT ${isBeingRemoved("session_number")} LIMIT 1`).get() !== undefined,
      ),
  };
};

const toRange = (sessionNumber: number): [number, number] => [toEventKey(sessionNumber, 0), toEventKey(sessionNumber, MAX_SEQ)];

/** The same rows give the same text, in whatever order. */
const sorted = (rows: readonly object[]): string =>
  rows
    .map((row) => JSON.stringify(Object.values(row)))
    .toSorted()
    .join("\n");
