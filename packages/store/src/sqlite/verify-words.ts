/**
 * Whether the search index holds the words of the events, and no others: the index is built again, a stretch of events at a
 * time, and what both hold of each word is compared by count and by sums over all its places.
 */
import type { SessionId } from "@retinue/protocol";
import type { DatabaseSync } from "node:sqlite";
import { fromEventBody } from "../chain.ts";
import { fromColumnText } from "../column-text.ts";
import { fromEventKey, toEventKey } from "../event-key.ts";
import type { Damage } from "../read-side.ts";
import { toSaid } from "../said.ts";
import { toIndexable } from "../search-text.ts";
import type { Steps } from "../steps.ts";
import { SAID } from "./schema.ts";

/** Events whose words are indexed again at a time. */
const STRETCH = 5000;

/** All that is kept of the places of a word: a difference between two indexes that leaves all three alike is no accident. */
type Places = { readonly count: number; readonly sum: number; readonly otherSum: number };

const PLACES = `SELECT term, count(*) AS count, sum((doc % 1000003 * 31 + "offset") * 7919 % 1000003) AS sum,
  sum((doc % 999983 * 17 + "offset" * 613) % 999983) AS other_sum FROM`;

/** What the index holds for beginnings of two and three letters, which are looked for in lists of their own. */
const BEGINNINGS = `SELECT beginning, count(*) AS count, sum(doc % 1000003 * 7919 % 1000003) AS sum FROM (
    SELECT DISTINCT substr(term, 1, 2) AS beginning, doc FROM temp.words_again WHERE length(term) >= 2
    UNION ALL SELECT DISTINCT substr(term, 1, 3), doc FROM temp.words_again WHERE length(term) >= 3
  ) GROUP BY beginning`;
const BEGINNING = "SELECT count(*) AS count, total(rowid % 1000003 * 7919 % 1000003) AS sum FROM main.said WHERE said MATCH ?";

export function* findWrongWord(db: DatabaseSync): Steps<Damage | undefined> {
  db.exec(`CREATE VIRTUAL TABLE temp.said_again USING ${SAID};
    CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', 'said', 'instance');
    CREATE VIRTUAL TABLE temp.words_again USING fts5vocab('temp', 'said_again', 'instance')`);
  try {
    const expected = new Map<string, Places>();
    const beginnings = new Map<string, Pick<Places, "count" | "sum">>();
    const again = db.prepare(`${PLACES} temp.words_again GROUP BY term`);
    const beginningsAgain = db.prepare(BEGINNINGS);
    for (const _ of eachStretch(db)) {
      for (const row of again.iterate()) add(expected, row);
      yield;
      for (const row of beginningsAgain.iterate()) addBeginning(beginnings, row);
      yield;
    }
    let terms = 0;
    for (const row of db.prepare(`${PLACES} temp.words GROUP BY term`).iterate()) {
      const term = String(row["term"]);
      const places = expected.get(term);
      expected.delete(term);
      if (
        places === undefined ||
        places.count !== row["count"] ||
        places.sum !== row["sum"] ||
        places.otherSum !== row["other_sum"]
      )
        return yield* findPlace(db, term);
      terms += 1;
      if (terms % 100 === 0) yield;
    }
    const [missing] = expected.keys();
    if (missing !== undefined) return yield* findPlace(db, missing);
    const find = db.prepare(BEGINNING);
    terms = 0;
    for (const [beginning, { count, sum }] of beginnings) {
      const row = find.get(`"${beginning}" *`);
      if (row?.["count"] !== count || row["sum"] !== sum)
        return { sessionId: null, seq: null, what: `the search index does not hold all words that begin with "${beginning}"` };
      terms += 1;
      if (terms % 100 === 0) yield;
    }
    return undefined;
  } finally {
    db.exec("DROP TABLE temp.words_again; DROP TABLE temp.words; DROP TABLE temp.said_again");
  }
}

const add = (expected: Map<string, Places>, row: Readonly<Record<string, unknown>>): void => {
  const term = String(row["term"]);
  const before = expected.get(term) ?? { count: 0, sum: 0, otherSum: 0 };
  expected.set(term, {
    count: before.count + Number(row["count"]),
    sum: before.sum + Number(row["sum"]),
    otherSum: before.otherSum + Number(row["other_sum"]),
  });
};

const addBeginning = (beginnings: Map<string, Pick<Places, "count" | "sum">>, row: Readonly<Record<string, unknown>>): void => {
  const beginning = String(row["beginning"]);
  const before = beginnings.get(beginning) ?? { count: 0, sum: 0 };
  beginnings.set(beginning, { count: before.count + Number(row["count"]), sum: before.sum + Number(row["sum"]) });
};

/** Has the words of one stretch after the other in `said_again`. */
function* eachStretch(db: DatabaseSync): Generator<void> {
  const insert = db.prepare("INSERT INTO temp.said_again (rowid, text) VALUES (?, ?)");
  const empty = db.prepare("INSERT INTO temp.said_again (said_again) VALUES ('delete-all')");
  const events = db.prepare("SELECT id, body FROM events WHERE id BETWEEN ? AND ?");
  let count = 0;
  for (const session of db
    .prepare("SELECT number, indexed_seq FROM sessions UNION ALL SELECT session_number, indexed_seq FROM removals")
    .all()) {
    const number = Number(session["number"]);
    for (const row of events.iterate(toEventKey(number, 1), toEventKey(number, Number(session["indexed_seq"])))) {
      const event = fromEventBody(String(row["body"]));
      const said = event === undefined ? "" : toIndexable(toSaid(event));
      if (said === "") continue;
      insert.run(Number(row["id"]), said);
      count += 1;
      if (count % STRETCH !== 0) continue;
      yield;
      empty.run();
    }
  }
  yield;
}

/** The first event that has the word in one of the two and not in the other. */
function* findPlace(db: DatabaseSync, term: string): Steps<Damage> {
  db.exec("INSERT INTO temp.said_again (said_again) VALUES ('delete-all')");
  const placesIn = (words: string): readonly string[] =>
    db
      .prepare(`SELECT doc, "offset" AS at FROM temp.${words} WHERE term = ?`)
      .all(term)
      .map((row) => `${String(row["doc"])} ${String(row["at"])}`);
  const actual = new Set(placesIn("words"));
  const wrong: number[] = [];
  for (const _ of eachStretch(db)) {
    for (const place of placesIn("words_again")) if (!actual.delete(place)) wrong.push(Number.parseInt(place, 10));
    yield;
  }
  for (const place of actual) wrong.push(Number.parseInt(place, 10));
  const { sessionNumber, seq } = fromEventKey(wrong.toSorted((a, b) => a - b)[0] ?? 0);
  const session = db.prepare("SELECT session_id FROM sessions WHERE number = ?").get(sessionNumber);
  const sessionId = session === undefined ? null : (fromColumnText(String(session["session_id"])) as SessionId);
  return { sessionId, seq, what: "the search index does not hold its words" };
}
