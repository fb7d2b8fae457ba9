/** Figures over everything recorded: how runs ended, and what they took. Whole hours are counted already; parts of one are counted here. */
import type { SQLInputValue, SQLOutputValue } from "node:sqlite";
import { fromColumnText, toColumnText } from "../column-text.ts";
import { createFigures } from "../figures.ts";
import { toAllowed } from "../query-checks.ts";
import type { Stats, StatsKey, StatsQuery } from "../read-side.ts";
import { STATS_KEYS } from "../read-side.ts";
import { FIGURE_COLUMNS, HOUR_CHARS, toCountSql } from "./figure-table.ts";
import { isBeingRemoved, isThere } from "./session-removal.ts";
import type { Statements } from "./statements.ts";

/** A pair is two columns: each may be a text that is kept in another form. */
const KEYS: Readonly<Record<StatsKey, string>> = {
  agent: "agent AS key, NULL AS child",
  model: "model AS key, NULL AS child",
  depth: "depth AS key, NULL AS child",
  pair: "parent AS key, agent AS child",
  day: "substr(hour, 1, 10) AS key, NULL AS child",
};

type FigureRow = Record<string, SQLOutputValue> & { readonly key: string };

/** What changed since it was counted must have been counted before. */
export const readStats = (statements: Statements, query: StatsQuery): readonly Stats[] => {
  const by = toAllowed("`by`", query.by, STATS_KEYS, "agent");
  const { counted, uncounted, values } = toParts(query);
  const from = [
    `SELECT * FROM figures WHERE ${counted}`,
    ...uncounted.map((where) => `SELECT (SELECT 0), * FROM (${toCountSql(where)})`),
  ].join(" UNION ALL ");
  const select = (columns: string, where: string, group = ""): readonly FigureRow[] =>
    statements(`SELECT ${KEYS[by]}, ${columns} FROM (${from}) WHERE ${where} GROUP BY 1, 2${group}`)
      .all(values)
      .map((row) => ({ ...row, key: toKey(row) }));

  const relevant = by === "pair" ? "parent IS NOT NULL" : "1";
  const rows = select(FIGURE_COLUMNS.map((column) => `total(${column}) AS ${column}`).join(", "), relevant);
  const figures = createFigures();
  figures.addRuns(rows);
  figures.addBailouts(select("bailout AS reason, total(runs) AS n", `bailout IS NOT NULL AND ${relevant}`, ", bailout"));
  figures.addModelCalls(rows.map((row) => ({ ...row, calls: row["model_calls"] })));
  figures.addToolCalls(rows.map((row) => ({ ...row, calls: row["tool_calls"], failures: row["tool_failures"] })));
  return figures.all();
};

const toKey = ({ key, child }: Record<string, SQLOutputValue>): string => {
  const name = fromColumnText(String(key));
  return typeof child === "string" ? `${name} → ${fromColumnText(child)}` : name;
};

type Parts = {
  /** On `figures`: hours that lie inside the time asked for as a whole. */
  readonly counted: string;
  /** On messages: of hours that lie inside it only in part. */
  readonly uncounted: readonly string[];
  readonly values: Record<string, SQLInputValue>;
};

/**
 * Times are compared as texts, and so are their beginnings: whatever begins otherwise than a limit lies on one side of it
 * together with all that begins like it.
 */
const toParts = ({ sessionId, since, until }: StatsQuery): Parts => {
  const values: Record<string, SQLInputValue> = {};
  const counted = [`NOT ${isBeingRemoved("session_number")}`];
  const within = [isThere("m.id")];
  if (sessionId !== undefined) {
    values["session"] = toColumnText(sessionId);
    counted.push("session_number = (SELECT number FROM sessions WHERE session_id = :session)");
    within.push("m.session_id = :session");
  }
  if (since !== undefined) {
    values["since"] = toColumnText(since);
    counted.push(`hour > substr(:since, 1, ${HOUR_CHARS})`);
    within.push("m.started_at >= :since");
  }
  if (until !== undefined) {
    values["until"] = toColumnText(until);
    counted.push(`hour < substr(:until, 1, ${HOUR_CHARS})`);
    within.push("m.started_at < :until");
  }
  const parts: string[] = [];
  if (since !== undefined) parts.push(hoursOf(":since"));
  const isSameHour = since !== undefined && until !== undefined && toHour(since) === toHour(until);
  if (until !== undefined && !isSameHour) parts.push(hoursOf(":until"));
  return { counted: counted.join(" AND "), uncounted: parts.map((part) => [part, ...within].join(" AND ")), values };
};

const toHour = (time: string): string => Array.from(toColumnText(time)).slice(0, HOUR_CHARS).join("");

/** Messages that begin in the hour that a limit lies in, by the index of their times. */
const hoursOf = (limit: ":since" | ":until"): string =>
  `m.started_at BETWEEN substr(${limit}, 1, ${HOUR_CHARS}) AND substr(${limit}, 1, ${HOUR_CHARS}) || char(1114111)
   AND substr(m.started_at, 1, ${HOUR_CHARS}) = substr(${limit}, 1, ${HOUR_CHARS})`;
