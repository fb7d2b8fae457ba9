/** Figures over `messages`: how runs ended, and what they took. */
import type { SQLInputValue } from "node:sqlite";
import { fromColumnText, toColumnText } from "../column-text.ts";
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

const KEYS: Readonly<Record<StatsKey, string>> = {
  agent: "m.agent_role",
  model: CALLER_MODEL,
  depth: "m.agent_depth",
  pair: "p.agent_role || ' → ' || m.agent_role",
  day: "substr(m.started_at, 1, 10)",
};

type Figures = { -readonly [K in keyof Stats]: Stats[K] } & { bailouts: Record<string, number> };

export const readStats = (statements: Statements, query: StatsQuery): readonly Stats[] => {
  const by = toAllowed("`by`", query.by, STATS_KEYS, "agent");
  const { where, values } = toFilter(query, by);
  const select = (figures: string, type: string, group = "") =>
    statements(`SELECT ${KEYS[by]} AS key, ${figures} ${FROM} WHERE ${type} AND ${where} GROUP BY 1${group}`).all(...values);

  const byKey = new Map<string, Figures>();
  const figuresOf = (key: unknown): Figures => {
    const name = fromColumnText(String(key));
    let figures = byKey.get(name);
    if (!figures) byKey.set(name, (figures = toEmpty(name)));
    return figures;
  };

  const isRun = "u.message_id = m.id";
  for (const row of select(
    `count(*) AS runs, sum(m.outcome = 'completed') AS completed, sum(m.outcome = 'partial') AS partial,
     sum(m.outcome = 'failed') AS failed, sum(m.outcome = 'cancelled') AS cancelled, sum(m.outcome = 'timeout') AS timeout,
     sum(m.duration_ms) AS duration`,
    isRun,
  )) {
    const figures = figuresOf(row["key"]);
    figures.runs = Number(row["runs"]);
    figures.completed = Number(row["completed"]);
    figures.partial = Number(row["partial"]);
    figures.failed = Number(row["failed"]);
    figures.cancelled = Number(row["cancelled"]);
    figures.timeout = Number(row["timeout"]);
    figures.durationMs = Number(row["duration"]);
    const ended = figures.completed + figures.partial + figures.failed + figures.cancelled + figures.timeout;
    figures.successRate = ended === 0 ? null : figures.completed / ended;
  }
  for (const row of select("m.bailout_reason AS reason, count(*) AS n", `${isRun} AND m.bailout_reason IS NOT NULL`, ", 2"))
    figuresOf(row["key"]).bailouts[fromColumnText(String(row["reason"]))] = Number(row["n"]);
  for (const row of select(
    `count(*) AS calls, sum(m.prompt_tokens) AS prompt, sum(m.completion_tokens) AS completion, sum(m.cached_tokens) AS cached,
     sum(m.reasoning_tokens) AS reasoning, sum(m.cost_usd) AS cost, sum(m.status = 'completed' AND m.cost_usd IS NULL) AS unpriced`,
    "m.request_type = 'continuation'",
  )) {
    const figures = figuresOf(row["key"]);
    figures.modelCalls = Number(row["calls"]);
    figures.promptTokens = Number(row["prompt"]);
    figures.completionTokens = Number(row["completion"]);
    figures.cachedTokens = Number(row["cached"]);
    figures.reasoningTokens = Number(row["reasoning"]);
    figures.costUsd = Number(row["cost"]);
    figures.unpricedCalls = Number(row["unpriced"]);
  }
  for (const row of select(
    "count(*) AS calls, sum(m.status IN ('failed', 'timeout')) AS failures",
    "m.request_type = 'tool_call'",
  )) {
    const figures = figuresOf(row["key"]);
    figures.toolCalls = Number(row["calls"]);
    figures.toolFailures = Number(row["failures"]);
  }
  return [...byKey.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1));
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

const toEmpty = (key: string): Figures => ({
  key,
  runs: 0,
  completed: 0,
  partial: 0,
  failed: 0,
  cancelled: 0,
  timeout: 0,
  successRate: null,
  bailouts: {},
  durationMs: 0,
  modelCalls: 0,
  toolCalls: 0,
  toolFailures: 0,
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  costUsd: 0,
  unpricedCalls: 0,
});
