/** Full-text search: the index finds the events, the events themselves say what was found. */
import type { RecordedEvent } from "@retinue/protocol";
import type { SQLOutputValue } from "node:sqlite";
import { fromEventBody } from "../chain.ts";
import { toColumnText } from "../column-text.ts";
import { MAX_SEQ, fromEventKey, toEventKey } from "../event-key.ts";
import { fromCursor, toCursor, toLimit } from "../query-checks.ts";
import type { Page, SearchHit, SearchQuery } from "../read-side.ts";
import { toRequestType } from "../request-type.ts";
import { toSaid } from "../said.ts";
import { toBeginningExpression, toMatchExpression, toSnippet, toTerms } from "../search-text.ts";
import { readHead } from "./event-table.ts";
import { isThere } from "./session-removal.ts";
import type { Statements } from "./statements.ts";

export const searchEvents = (statements: Statements, text: string, query: SearchQuery): Page<SearchHit> => {
  const limit = toLimit(query.limit);
  const cursor = fromCursor(query.after);
  let range: Range = { from: 0, to: (cursor?.key ?? Number.MAX_SAFE_INTEGER) - 1 };
  if (query.sessionId !== undefined) {
    const head = readHead(statements, query.sessionId);
    if (head === undefined) return { items: [], next: null };
    range = { from: toEventKey(head.number, 0), to: Math.min(range.to, toEventKey(head.number, MAX_SEQ)) };
  }
  const terms = toTerms(text);
  if (terms.length === 0) return byLetters(statements, text.trim(), range, limit);
  // Beginnings of words are looked for where no whole word was found; a later page goes on as the first one did.
  if (cursor?.at !== BEGINNINGS) {
    const whole = byWords(statements, { terms, match: toMatchExpression(terms), range, limit, mark: "" });
    if (whole.items.length > 0 || cursor !== undefined) return whole;
  }
  const match = toBeginningExpression(terms);
  return match === undefined ? { items: [], next: null } : byWords(statements, { terms, match, range, limit, mark: BEGINNINGS });
};

/** Marks the cursor of a search for beginnings. */
const BEGINNINGS = "beginnings";

type Range = { readonly from: number; readonly to: number };
type Row = Record<string, SQLOutputValue>;
type WordQuery = {
  readonly terms: readonly string[];
  readonly match: string;
  readonly range: Range;
  readonly limit: number;
  readonly mark: string;
};

const byWords = (statements: Statements, { terms, match, range, limit, mark }: WordQuery): Page<SearchHit> => {
  const ids =
    range.from === 0 ? latestOfAll(statements, match, range, limit + 1) : latestOfSession(statements, match, range, limit + 1);
  const last = ids.length > limit ? ids[limit - 1] : undefined;
  const event = statements("SELECT id, body FROM events WHERE id = ?");
  return {
    items: ids.slice(0, limit).flatMap((id) => {
      const row = event.get(id);
      return row === undefined ? [] : toHit(statements, row, terms);
    }),
    next: last === undefined ? null : toCursor({ key: last, at: mark }),
  };
};

const latestOfAll = (statements: Statements, match: string, { to }: Range, count: number): readonly number[] =>
  statements(`SELECT rowid FROM said WHERE said MATCH ? AND rowid <= ? AND ${isThere("rowid")} ORDER BY rowid DESC LIMIT ?`)
    .all(match, to, count)
    .map((row) => Number(row["rowid"]));

/** Going backwards the index cannot begin in the middle; forwards it can, and a session is not that long. */
const latestOfSession = (statements: Statements, match: string, { from, to }: Range, count: number): readonly number[] =>
  statements("SELECT rowid FROM said WHERE said MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid")
    .all(match, from, to)
    .slice(-count)
    .map((row) => Number(row["rowid"]))
    .toReversed();

/** Events that one page looks through at most. */
const SCANNED = 20_000;

/** Signs alone are in no index: they are looked for in the texts themselves, as they stand in JSON. */
const byLetters = (statements: Statements, text: string, { from, to }: Range, limit: number): Page<SearchHit> => {
  if (text === "") return { items: [], next: null };
  const items: SearchHit[] = [];
  let last = 0;
  let scanned = 0;
  const rows = statements(
    `SELECT id, body, instr(body, ?) > 0 AS found FROM events WHERE id BETWEEN ? AND ? AND ${isThere("id")}
       ORDER BY id DESC LIMIT ?`,
  );
  for (const row of rows.iterate(JSON.stringify(text).slice(1, -1), from, to, SCANNED)) {
    last = Number(row["id"]);
    scanned += 1;
    const event = row["found"] === 1 ? fromEventBody(String(row["body"])) : undefined;
    if (event !== undefined && toSaid(event).includes(text)) items.push(...toHit(statements, row, [text]));
    if (items.length === limit) break;
  }
  const isMore = scanned === SCANNED || items.length === limit;
  return { items, next: isMore ? toCursor({ key: last, at: "" }) : null };
};

const toHit = (statements: Statements, row: Row, terms: readonly string[]): SearchHit[] => {
  const event = fromEventBody(String(row["body"]));
  if (event === undefined) return [];
  const { sessionId, seq, runId, agent, depth, type, at } = event;
  const messageId = findMessage(statements, Number(row["id"]), event);
  return [{ sessionId, seq, runId, agent, depth, type, at, messageId, snippet: toSnippet(toSaid(event), terms) }];
};

/** The row that the event opened, changed or closed: the latest of its kind that its run had by then. */
const findMessage = (statements: Statements, id: number, event: RecordedEvent): number | null => {
  const runId = toColumnText(event.runId);
  const requestType = toRequestType(event);
  if (requestType === undefined) {
    const run = statements("SELECT message_id AS id FROM runs WHERE run_id = ?").get(runId);
    return run === undefined ? null : Number(run["id"]);
  }
  const callId = "callId" in event ? toColumnText(event.callId) : null;
  const row = statements(
    `SELECT id FROM messages WHERE id BETWEEN ? AND ? AND run_id = ? AND request_type = ? AND (? IS NULL OR call_id = ?)
     ORDER BY id DESC LIMIT 1`,
  ).get(toEventKey(fromEventKey(id).sessionNumber, 0), id, runId, requestType, callId, callId);
  return row === undefined ? null : Number(row["id"]);
};
