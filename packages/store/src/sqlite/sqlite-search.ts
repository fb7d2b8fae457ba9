/** Full-text search: the index finds the events, the events themselves say what was found. */
import type { RecordedEvent } from "@retinue/protocol";
import type { SQLOutputValue } from "node:sqlite";
import { fromEventBody } from "../chain.ts";
import { toColumnText } from "../column-text.ts";
import { MAX_SEQ, fromEventKey, toEventKey } from "../event-key.ts";
import type { RequestType } from "../message-row.ts";
import { fromCursor, toCursor, toLimit } from "../query-checks.ts";
import type { Page, SearchHit, SearchQuery } from "../read-side.ts";
import { toSaid } from "../said.ts";
import { toMatchExpression, toSnippet, toTerms } from "../search-text.ts";
import { readHead } from "./event-table.ts";
import type { Statements } from "./statements.ts";

export const searchEvents = (statements: Statements, text: string, query: SearchQuery): Page<SearchHit> => {
  const limit = toLimit(query.limit);
  const before = fromCursor(query.after)?.key ?? Number.MAX_SAFE_INTEGER;
  let [from, to] = [0, before - 1];
  if (query.sessionId !== undefined) {
    const head = readHead(statements, query.sessionId);
    if (head === undefined) return { items: [], next: null };
    [from, to] = [toEventKey(head.number, 0), Math.min(to, toEventKey(head.number, MAX_SEQ))];
  }
  const terms = toTerms(text);
  const rows =
    terms.length > 0 ? byWords(statements, terms, from, to, limit + 1) : byLetters(statements, text, from, to, limit + 1);
  const items = rows.slice(0, limit).flatMap((row) => toHit(statements, row, terms.length > 0 ? terms : [text]));
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return { items, next: last === undefined ? null : toCursor({ key: Number(last["id"]), at: "" }) };
};

type Row = Record<string, SQLOutputValue>;

const byWords = (statements: Statements, terms: readonly string[], from: number, to: number, limit: number): Row[] =>
  statements(
    `SELECT e.id, e.body FROM (SELECT rowid AS id FROM said WHERE said MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?) s
     JOIN events e ON e.id = s.id ORDER BY e.id DESC`,
  ).all(toMatchExpression(terms), from, to, limit);

/** Signs alone are in no index: they are looked for in the texts themselves, as they stand in JSON. */
const byLetters = (statements: Statements, text: string, from: number, to: number, limit: number): Row[] => {
  const wanted = JSON.stringify(text.trim()).slice(1, -1);
  if (wanted === "") return [];
  const found: Row[] = [];
  for (const row of statements(
    "SELECT id, body FROM events WHERE id BETWEEN ? AND ? AND instr(body, ?) > 0 ORDER BY id DESC",
  ).iterate(from, to, wanted)) {
    const event = fromEventBody(String(row["body"]));
    if (event !== undefined && toSaid(event).includes(text.trim())) found.push(row);
    if (found.length === limit) break;
  }
  return found;
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

/** Undefined where the row is the run's own. */
const toRequestType = (event: RecordedEvent): RequestType | undefined => {
  switch (event.type) {
    case "run.requested":
    case "run.started":
    case "run.settled":
    case "limit.reached":
    case "result.rejected":
      return undefined;
    case "message.received":
      return "prompt";
    case "model.requested":
    case "model.answered":
    case "model.failed":
    case "context.fitted":
      return "continuation";
    case "approval.requested":
    case "approval.answered":
    case "tool.started":
    case "tool.settled":
      return "tool_call";
    default:
      return event satisfies never;
  }
};
