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
  /** Takes a session's words out; inside a transaction, before its events go. */
  readonly remove: (sessionNumber: number) => void;
  /** Begins anew: every session is to be indexed again. Inside a transaction. */
  readonly reset: () => void;
};

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
      const event = fromEventBody(String(row["body"]));
      const said = event === undefined ? "" : toIndexable(toSaid(event));
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
    remove: (sessionNumber) => {
      const indexed = Number(statements("SELECT indexed_seq FROM sessions WHERE number = ?").get(sessionNumber)?.["indexed_seq"]);
      const remove = statements("INSERT INTO said (said, rowid, text) VALUES ('delete', ?, ?)");
      eachSaid(sessionNumber, 1, indexed, (id, said) => remove.run(id, said));
    },
    reset: () => {
      statements("INSERT INTO said (said) VALUES ('delete-all')").run();
      statements("UPDATE sessions SET indexed_seq = 0 WHERE indexed_seq > 0").run();
    },
  };
};
