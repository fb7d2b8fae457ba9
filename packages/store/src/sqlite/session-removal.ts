/**
 * Removes sessions with little room to work in. A session is gone for all readers when its row is: one small transaction puts a row of
 * `removals` in its place. What else there is of it goes in steps, each a transaction of its own; a removal that was cut is ended by whoever
 * removes next. Everything here happens inside a transaction that the caller opened, in which references between rows are not checked.
 */
import type { SessionId } from "@retinue/protocol";
import type { SQLInputValue, SQLOutputValue } from "node:sqlite";
import { toColumnText } from "../column-text.ts";
import { fromEventKey, MAX_SEQ, toEventKey } from "../event-key.ts";
import type { SessionRow } from "../project-session.ts";
import type { SearchIndex } from "./search-index.ts";
import type { Statements } from "./statements.ts";

/** How much one step takes away at most; one row it always takes. */
export type RemovalPace = {
  readonly rows: number;
  readonly chars: number;
  /**
   * An event has words all over the search index, and each place is a page to be written. Where there is no room for that, the index is
   * emptied, which takes a few pages: it is filled again when somebody searches.
   */
  readonly emptiesIndex?: boolean;
};

export type SessionRemoval = {
  /** From here on nobody reads the session. Of one that is damaged, the words that were indexed are not known any more. */
  readonly begin: (session: SessionRow, isDamaged: boolean) => void;
  /** Takes away some of what is left of removed sessions. False when nothing is left. */
  readonly step: (pace: RemovalPace) => boolean;
  /** Takes away all that is left of a removed session, so that its id can be given again. */
  readonly finish: (sessionId: SessionId) => void;
};

/** SQL that is true for the number of a session that is being removed. */
export const isBeingRemoved = (sessionNumber: string): string => `${sessionNumber} IN (SELECT session_number FROM removals)`;

/** SQL that is true for the id of an event or message whose session is not being removed. */
export const isThere = (id: string): string => `NOT ${isBeingRemoved(`${id} / ${MAX_SEQ + 1}`)}`;

type Removed = { readonly number: number; readonly sessionId: string; readonly indexedSeq: number };

/** What is left of a session in one table: rows by a key, with how much each holds. */
type Part = {
  readonly find: string;
  readonly remove: string;
  readonly of: (removed: Removed) => readonly SQLInputValue[];
};

const toRange = ({ number }: Removed): readonly SQLInputValue[] => [toEventKey(number, 0), toEventKey(number, MAX_SEQ)];
const toNumber = ({ number }: Removed): readonly SQLInputValue[] => [number];
const toId = ({ sessionId }: Removed): readonly SQLInputValue[] => [sessionId];

const EVENTS = "SELECT id AS key, body, length(body) AS chars FROM events WHERE id BETWEEN ? AND ? ORDER BY id DESC";

const PARTS: readonly Part[] = [
  {
    find: `SELECT id AS key, coalesce(length(request_content), 0) + coalesce(length(response_content), 0) AS chars FROM messages
      WHERE session_id = ? ORDER BY id DESC`,
    remove: "DELETE FROM messages WHERE id = ?",
    of: toId,
  },
  {
    find: "SELECT rowid AS key, length(state) AS chars FROM snapshots WHERE event_id BETWEEN ? AND ?",
    remove: "DELETE FROM snapshots WHERE rowid = ?",
    of: toRange,
  },
  {
    find: "SELECT event_id AS key, 0 AS chars FROM inputs WHERE event_id BETWEEN ? AND ?",
    remove: "DELETE FROM inputs WHERE event_id = ?",
    of: toRange,
  },
  {
    find: "SELECT event_id AS key, 0 AS chars FROM approvals WHERE event_id BETWEEN ? AND ?",
    remove: "DELETE FROM approvals WHERE event_id = ?",
    of: toRange,
  },
  {
    find: "SELECT event_id AS key, 0 AS chars FROM queued_turns WHERE event_id BETWEEN ? AND ?",
    remove: "DELETE FROM queued_turns WHERE event_id = ?",
    of: toRange,
  },
  {
    find: "SELECT id AS key, length(text) + coalesce(length(data), 0) AS chars FROM artifacts WHERE session_id = ?",
    remove: "DELETE FROM artifacts WHERE id = ?",
    of: toId,
  },
  {
    find: "SELECT run_id AS key, 0 AS chars FROM runs WHERE session_number = ?",
    remove: "DELETE FROM runs WHERE run_id = ?",
    of: toNumber,
  },
  {
    find: "SELECT rowid AS key, 0 AS chars FROM figures WHERE session_number = ?",
    remove: "DELETE FROM figures WHERE rowid = ?",
    of: toNumber,
  },
  {
    find: "SELECT session_number AS key, 0 AS chars FROM counted WHERE session_number = ?",
    remove: "DELETE FROM counted WHERE session_number = ?",
    of: toNumber,
  },
];

const ALL: RemovalPace = { rows: Infinity, chars: Infinity };

export const createSessionRemoval = (statements: Statements, searchIndex: SearchIndex): SessionRemoval => {
  /** Gives rows of one part after the other, until the step has had enough. */
  const createStep = ({ rows, chars }: RemovalPace) => {
    const left = { rows, chars };
    return {
      isEnough: (): boolean => left.rows <= 0,
      take: (sql: string, values: readonly SQLInputValue[]): readonly Record<string, SQLOutputValue>[] => {
        const taken = [];
        for (const row of statements(`${sql} LIMIT ?`).iterate(...values, Number.isFinite(left.rows) ? left.rows : -1)) {
          const size = Number(row["chars"]);
          if (left.chars < size && left.rows < rows) {
            left.rows = 0;
            break;
          }
          taken.push(row);
          left.rows -= 1;
          left.chars -= size;
        }
        return taken;
      },
    };
  };

  const takeSome = (removed: Removed, pace: RemovalPace): void => {
    if (pace.emptiesIndex === true && removed.indexedSeq > 0) return searchIndex.reset();
    const step = createStep(pace);
    const removeEvent = statements("DELETE FROM events WHERE id = ?");
    // The words of an event can only be taken out by the event, and so go with it.
    for (const { key, body } of step.take(EVENTS, toRange(removed))) {
      if (fromEventKey(Number(key)).seq <= removed.indexedSeq) searchIndex.remove(Number(key), String(body));
      removeEvent.run(key ?? null);
    }
    for (const { find, remove, of } of PARTS) {
      const statement = statements(remove);
      for (const { key } of step.take(find, of(removed))) statement.run(key ?? null);
    }
    if (!step.isEnough()) statements("DELETE FROM removals WHERE session_number = ?").run(removed.number);
  };

  const find = (where: string, ...values: readonly SQLInputValue[]): Removed | undefined => {
    const row = statements(`SELECT * FROM removals WHERE ${where} ORDER BY session_number LIMIT 1`).get(...values);
    if (row === undefined) return undefined;
    const { session_number: number, session_id: sessionId, indexed_seq: indexedSeq } = row;
    return { number: Number(number), sessionId: String(sessionId), indexedSeq: Number(indexedSeq) };
  };

  return {
    begin: ({ number }, isDamaged) => {
      if (isDamaged) searchIndex.reset();
      statements("INSERT INTO removals SELECT number, session_id, indexed_seq FROM sessions WHERE number = ?").run(number);
      statements("DELETE FROM sessions WHERE number = ?").run(number);
    },
    step: (pace) => {
      const removed = find("1");
      if (removed === undefined) return false;
      takeSome(removed, pace);
      return true;
    },
    finish: (sessionId) => {
      const removed = find("session_id = ?", toColumnText(sessionId));
      if (removed !== undefined) takeSome(removed, ALL);
    },
  };
};
