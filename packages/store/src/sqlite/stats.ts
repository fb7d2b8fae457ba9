/** Figures over `messages`: how runs ended, and what they took. */
import type { SQLInputValue, SQLOutputValue } from "node:sqlite";
import { fromColumnText, toColumnText } from "../column-text.ts";
import { createFigures } from "../figures.ts";
import { toAllowed } from "../query-checks.ts";
import type { Stats, StatsKey, StatsQuery } from "../read-side.ts";
import { STATS_KEYS } from "../read-side.ts";
import type { Statements } from "./statements.ts";

/** `m` is the row that counts, `r` the row of its run, `p` the row that this run hangs on. */
const FROM = `FROM messages m
  JOIN runs u ON u.run_id = m.run_id
  JOIN messages r ON r.id = u.message_id
  LEFT JOIN messages p ON p.id = r.parent_message_id`;

/** A tool call counts for the model that asked for it. */
const CALLER_MODEL = "coalesce(m.model_id, (SELECT c.model_id FROM messages c WHERE c.id = m.parent_message_id), r.model_id)";

/** A pair is two columns: each may be a text that is kept in another form. */
const KEYS: Readonly<Record<StatsKey, string>> = {
  agent: "m.agent_role AS key, NULL AS child",
  model: `${CALLER_MODEL} AS key, NULL AS child`,
  depth: "m.agent_depth AS key, NULL AS child",
  pair: "p.agent_role AS key, m.agent_role AS child",
  day: "substr(m.started_at, 1, 10) AS key, NULL AS child",
};

export const readStats = (statements: Statements, query: StatsQuery): readonly Stats[] => {
  const by = toAllowed("`by`", query.by, STATS_KEYS, "agent");
  const { where, values } = toFilter(query, by);
  const select = (columns: string, type: string, group = "") =>
    statements(`SELECT ${KEYS[by]}, ${columns} ${FROM} WHERE ${type} AND ${where} GROUP BY 1, 2${group}`)
      .all(...values)
      .map((row) => ({ ...row, key: toKey(row) }));

  const figures = createFigures();
  const isRun = "u.message_id = m.id";
  figures.addRuns(
    select(
      `count(*) AS runs, sum(m.outcome = 'completed') AS completed, sum(m.outcome = 'partial') AS partial,
       sum(m.outcome = 'failed') AS failed, sum(m.outcome = 'cancelled') AS cancelled, sum(m.outcome = 'timeout') AS timeout,
       sum(m.duration_ms) AS duration`,
      isRun,
    ),
  );
  figures.addBailouts(
    select("m.bailout_reason AS reason, count(*) AS n", `${isRun} AND m.bailout_reason IS NOT NULL`, ", m.bailout_reason"),
  );
  figures.addModelCalls(
    select(
      `count(*) AS calls, sum(m.prompt_tokens) AS prompt, sum(m.completion_tokens) AS completion, sum(m.cached_tokens) AS cached,
       sum(m.reasoning_tokens) AS reasoning, sum(m.cost_usd) AS cost, sum(m.status = 'completed' AND m.cost_usd IS NULL) AS unpriced`,
      "m.request_type = 'continuation'",
    ),
  );
  figures.addToolCalls(
    select("count(*) AS calls, sum(m.status IN ('failed', 'timeout')) AS failures", "m.request_type = 'tool_call'"),
  );
  return figures.all();
};

const toKey = ({ key, child }: Record<string, SQLOutputValue>): string => {
  const name = fromColumnText(String(key));
  return typeof child === "string" ? `${name} → ${fromColumnText(child)}` : name;
};

const toFilter = (query: StatsQuery, by: StatsKey): { readonly where: string; readonly values: readonly SQLInputValue[] } => {
  const conditions = [by === "pair" ? "p.id IS NOT NULL" : "1"];
  const values: SQLInputValue[] = [];
  const filter = (condition: string, value: string | undefined): void => {
    if (value === undefined) return;
    conditions.push(condition);
    values.push(toColumnText(value));
  };
  filter("m.session_id = ?", query.sessionId);
  filter("m.started_at >= ?", query.since);
  filter("m.started_at < ?", query.until);
  return { where: conditions.join(" AND "), values };
};
