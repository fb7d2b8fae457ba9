/** Full-text search: the index finds events that hold the words, the events themselves say whether they stand together. */
import type { RecordedEvent, SessionId } from "@retinue/protocol";
import { fromEventBody } from "../chain.ts";
import { fromEventKey, MAX_SEQ, toEventKey } from "../event-key.ts";
import { fromCursor, toCursor, toLimit } from "../query-checks.ts";
import type { Page, SearchHit, SearchQuery } from "../read-side.ts";
import { toRequestType } from "../request-type.ts";
import { toSaid } from "../said.ts";
import { toSnippet, toTerms, toWords } from "../search-text.ts";
import type { Query, Row } from "./database.ts";
import { toNameKey } from "./name-key.ts";
import { toColumnText } from "../column-text.ts";
import { toLexeme, toWordQueries } from "./said-words.ts";

/** Marks the cursor of a search for beginnings. */
const BEGINNINGS = "beginnings";

type Range = { readonly from: number; readonly to: number };

export const searchEvents = async (query: Query, text: string, options: SearchQuery): Promise<Page<SearchHit>> => {
  const limit = toLimit(options.limit);
  const cursor = fromCursor(options.after);
  const range = await toRange(query, options.sessionId, (cursor?.key ?? Number.MAX_SAFE_INTEGER) - 1);
  if (range === undefined) return { items: [], next: null };
  const terms = toTerms(text);
  if (terms.length === 0) return byLetters(query, text.trim(), range, limit);
  if (cursor?.at !== BEGINNINGS) {
    const whole = await byWords(query, { terms, range, limit, isLastOpen: false });
    if (whole.items.length > 0 || cursor !== undefined) return whole;
  }
  const last = terms.flatMap(toWords).at(-1) ?? "";
  return last.length < 2 ? { items: [], next: null } : byWords(query, { terms, range, limit, isLastOpen: true });
};

const toRange = async (query: Query, sessionId: SessionId | undefined, to: number): Promise<Range | undefined> => {
  if (sessionId === undefined) return { from: 0, to };
  const [session] = await query("SELECT number FROM ~sessions WHERE session_id = $1", [toNameKey(sessionId)]);
  if (session === undefined) return undefined;
  const number = Number(session["number"]);
  return { from: toEventKey(number, 0), to: Math.min(to, toEventKey(number, MAX_SEQ)) };
};

type WordSearch = {
  readonly terms: readonly string[];
  readonly range: Range;
  readonly limit: number;
  readonly isLastOpen: boolean;
};

const byWords = async (query: Query, { terms, range, limit, isLastOpen }: WordSearch): Promise<Page<SearchHit>> => {
  const phrases = terms.map((term) => toWords(term).map(toLexeme)).filter((phrase) => phrase.length > 0);
  const conditions = toWordQueries(phrases.flat(), isLastOpen);
  const items: SearchHit[] = [];
  let { to } = range;
  for (;;) {
    const rows = await query(
      `SELECT e.id, e.body FROM ~events e WHERE e.id BETWEEN $1 AND $2 AND ${conditions
        .map((_, at) => `e.id IN (SELECT s.id FROM ~said s WHERE s.words @@ $${at + 4}::tsquery)`)
        .join(" AND ")} ORDER BY e.id DESC LIMIT $3`,
      [range.from, to, limit + 1, ...conditions],
    );
    for (const row of rows) {
      const event = fromEventBody(String(row["body"]));
      if (event === undefined || !holds(toWords(toSaid(event)).map(toLexeme), phrases, isLastOpen)) continue;
      const last = items.at(-1);
      if (items.length === limit && last !== undefined)
        return { items, next: toCursor({ key: Number(row["id"]) + 1, at: isLastOpen ? BEGINNINGS : "" }) };
      items.push(await toHit(query, row, event, terms));
    }
    if (rows.length <= limit) return { items, next: null };
    to = Number(rows.at(-1)?.["id"]) - 1;
  }
};

/** Whether every phrase stands somewhere in the words, the last one open at its end if it may be. */
const holds = (words: readonly string[], phrases: readonly (readonly string[])[], isLastOpen: boolean): boolean =>
  phrases.every((phrase, which) =>
    words.some((_, from) =>
      phrase.every((word, at) => {
        const isOpen = isLastOpen && which === phrases.length - 1 && at === phrase.length - 1;
        const found = words[from + at];
        return isOpen ? found?.startsWith(word) === true : found === word;
      }),
    ),
  );

/** Events that one page looks through at most. */
const SCANNED = 20_000;

/** Signs alone are in no index: they are looked for in the texts themselves, as they stand in JSON. */
const byLetters = async (query: Query, text: string, { from, to }: Range, limit: number): Promise<Page<SearchHit>> => {
  if (text === "") return { items: [], next: null };
  const wanted = JSON.stringify(text).slice(1, -1);
  const [edge] = await query("SELECT id FROM ~events WHERE id BETWEEN $1 AND $2 ORDER BY id DESC OFFSET $3 LIMIT 1", [
    from,
    to,
    SCANNED - 1,
  ]);
  const start = edge === undefined ? from : Number(edge["id"]);
  const rows = await query("SELECT id, body FROM ~events WHERE id BETWEEN $1 AND $2 AND strpos(body, $3) > 0 ORDER BY id DESC", [
    start,
    to,
    wanted,
  ]);
  const items: SearchHit[] = [];
  for (const row of rows) {
    const event = fromEventBody(String(row["body"]));
    if (event === undefined || !toSaid(event).includes(text)) continue;
    items.push(await toHit(query, row, event, [text]));
    if (items.length === limit) return { items, next: toCursor({ key: Number(row["id"]), at: "" }) };
  }
  return { items, next: edge === undefined ? null : toCursor({ key: start, at: "" }) };
};

const toHit = async (query: Query, row: Row, event: RecordedEvent, terms: readonly string[]): Promise<SearchHit> => {
  const { sessionId, seq, runId, agent, depth, type, at } = event;
  const messageId = await findMessage(query, Number(row["id"]), event);
  return { sessionId, seq, runId, agent, depth, type, at, messageId, snippet: toSnippet(toSaid(event), terms) };
};

/** The row that the event opened, changed or closed: the latest of its kind that its run had by then. */
const findMessage = async (query: Query, id: number, event: RecordedEvent): Promise<number | null> => {
  const runId = toNameKey(event.runId);
  const requestType = toRequestType(event);
  if (requestType === undefined) {
    const [run] = await query("SELECT message_id AS id FROM ~runs WHERE run_id = $1", [runId]);
    return run === undefined ? null : Number(run["id"]);
  }
  const callId = "callId" in event ? toColumnText(event.callId) : null;
  const [row] = await query(
    `SELECT id FROM ~messages WHERE id BETWEEN $1 AND $2 AND run_id = $3 AND request_type = $4 AND ($5::text IS NULL OR call_id = $5)
     ORDER BY id DESC LIMIT 1`,
    [toEventKey(fromEventKey(id).sessionNumber, 0), id, runId, requestType, callId],
  );
  return row === undefined ? null : Number(row["id"]);
};
