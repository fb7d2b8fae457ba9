/**
 * The full-text index over what was said. It trails the log so that writing a run does not wait for it: every session
 * remembers how far it is indexed, whoever searches brings it up to date first, and pauses are used to keep up.
 */
import { fromEventBody } from "../chain.ts";
import { toEventKey } from "../event-key.ts";
import { toSaid } from "../said.ts";
import { toIndexable } from "../search-text.ts";
import type { Statements } from "./statements.ts";

export type SearchIndex = {
  readonly isBehind: () => boolean;
  /** Indexes at most so many events; inside a transaction. */
  readonly catchUp: (maxEvents: number) => void;
  /** Takes the words of an event out that was indexed; inside a transaction. */
  readonly remove: (id: number, body: string) => void;
  /** Whether words that were taken out have left more empty room than there are words: their pages stay where they were. */
  readonly isHollow: () => boolean;
  /** Begins anew: every session is to be indexed again. Inside a transaction. */
  readonly reset: () => void;
};

/** A row of the index is a page of about this size. */
const PAGE_BYTES = 4000;
/** Less is not worth indexing anew. */
const MIN_HOLLOW_PAGES = 64;

export const createSearchIndex = (statements: Statements): SearchIndex => {
  const nextBehind = () =>
    statements("SELECT number, head_seq, indexed_seq FROM sessions WHERE indexed_seq < head_seq ORDER BY number LIMIT 1").get();

  /** Calls back for each event of a stretch with what was said in it. */
  const eachSaid = (sessionNumber: number, from: number, to: number, act: (id: number, said: string) => void): void => {
    const rows = statements("SELECT id, body FROM events WHERE id BETWEEN ? AND ? ORDER BY id").all(
      toEventKey(sessionNumber, from),
      toEventKey(sessionNumber, to),
    );
    for (const row of rows) {
      const said = toIndexed(String(row["body"]));
      if (said !== "") act(Number(row["id"]), said);
    }
  };

  return {
    isBehind: () => nextBehind() !== undefined,
    catchUp: (maxEvents) => {
      const insert = statements("INSERT INTO said (rowid, text) VALUES (?, ?)");
      let left = maxEvents;
      for (let row = nextBehind(); row !== undefined && left > 0; row = nextBehind()) {
        const number = Number(row["number"]);
        const from = Number(row["indexed_seq"]) + 1;
        const to = Math.min(Number(row["head_seq"]), from + left - 1);
        eachSaid(number, from, to, (id, said) => insert.run(id, said));
        statements("UPDATE sessions SET indexed_seq = ? WHERE number = ?").run(to, number);
        left -= to - from + 1;
      }
    },
    remove: (id, body) => {
      const said = toIndexed(body);
      if (said !== "") statements("INSERT INTO said (said, rowid, text) VALUES ('delete', ?, ?)").run(id, said);
    },
    isHollow: () => {
      const row = statements("SELECT count(*) AS pages, total(length(block)) AS bytes FROM said_data").get();
      const pages = Number(row?.["pages"]);
      return pages >= MIN_HOLLOW_PAGES && Number(row?.["bytes"]) < (pages * PAGE_BYTES) / 2;
    },
    reset: () => {
      statements("INSERT INTO said (said) VALUES ('delete-all')").run();
      statements("UPDATE sessions SET indexed_seq = 0 WHERE indexed_seq > 0").run();
      statements("UPDATE removals SET indexed_seq = 0 WHERE indexed_seq > 0").run();
    },
  };
};

/** What of an event's body goes into the index; empty where nothing was said. */
const toIndexed = (body: string): string => {
  const event = fromEventBody(body);
  return event === undefined ? "" : toIndexable(toSaid(event));
};
