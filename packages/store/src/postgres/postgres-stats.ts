/** Figures over `messages`: how runs ended, and what they took. */
import { fromColumnText, toColumnText } from "../column-text.ts";
import { toAllowed } from "../query-checks.ts";
import { HAS_ENDED_OR_IS_NO_MODEL_CALL } from "../message-row.ts";
import type { Stats, StatsKey, StatsQuery } from "../read-side.ts";
import { STATS_KEYS } from "../read-side.ts";
import { createFigures } from "../figures.ts";
import type { Query } from "./database.ts";
import { fromNameKey, toNameKey } from "./name-key.ts";
import { readLongNames } from "./postgres-rows.ts";

/** `m` is the row that counts, `r` the row of its run, `p` the row that this run hangs on. */
const FROM = `FROM ~messages m
  JOIN ~runs u ON u.run_id = m.run_id
  JOIN ~messages r ON r.id = u.message_id
  LEFT JOIN ~messages p ON p.id = r.parent_message_id`;

/** A tool call counts for the model that asked for it. */
const CALLER_MODEL = "coalesce(m.model_id, (SELECT c.model_id FROM ~messages c WHERE c.id = m.parent_message_id), r.model_id)";

/** A pair is two columns, so that long names in it can be told. */
const KEYS: Readonly<Record<StatsKey, string>> = {
  agent: "m.agent_role AS key, NULL AS child",
  model: `${CALLER_MODEL} AS key, NULL AS child`,
  depth: "m.agent_depth::text AS key, NULL AS child",
  pair: "p.agent_role AS key, m.agent_role AS child",
  day: "substr(m.started_at, 1, 10) AS key, NULL AS child",
};

const count = (condition: string): string => `count(*) FILTER (WHERE ${condition})`;

export const readStats = async (query: Query, options: StatsQuery): Promise<readonly Stats[]> => {
  const by = toAllowed("`by`", options.by, STATS_KEYS, "agent");
  const conditions = [by === "pair" ? "p.id IS NOT NULL" : "true"];
  const values: string[] = [];
  const filter = (condition: (n: string) => string, value: string | undefined): void => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  filter((n) => `m.session_id = ${n}`, options.sessionId === undefined ? undefined : toNameKey(options.sessionId));
  filter((n) => `m.started_at >= ${n}`, options.since === undefined ? undefined : toColumnText(options.since));
  filter((n) => `m.started_at < ${n}`, options.until === undefined ? undefined : toColumnText(options.until));

  const figures = createFigures();
  const select = async (columns: string, type: string, group = "") => {
    const rows = await query(
      `SELECT ${KEYS[by]}, ${columns} ${FROM} WHERE ${type} AND ${conditions.join(" AND ")} GROUP BY 1, 2${group}`,
      values,
    );
    const longNames = await readLongNames(query, rows);
    const toKey = (value: unknown): string =>
      by === "model" || by === "day" ? fromColumnText(String(value)) : fromNameKey(String(value), longNames);
    return rows.map((row) => ({
      ...row,
      key: row["child"] === null ? toKey(row["key"]) : `${toKey(row["key"])} → ${toKey(row["child"])}`,
    }));
  };

  const isRun = "u.message_id = m.id";
  figures.addRuns(
    await select(
      `count(*) AS runs, ${count("m.outcome = 'completed'")} AS completed, ${count("m.outcome = 'partial'")} AS partial,
       ${count("m.outcome = 'failed'")} AS failed, ${count("m.outcome = 'cancelled'")} AS cancelled,
       ${count("m.outcome = 'timeout'")} AS timeout, sum(m.duration_ms)::bigint AS duration`,
      isRun,
    ),
  );
  figures.addBailouts(
    await select("m.bailout_reason AS reason, count(*) AS n", `${isRun} AND m.bailout_reason IS NOT NULL`, ", m.bailout_reason"),
  );
  figures.addModelCalls(
    await select(
      `count(*) AS calls, sum(m.prompt_tokens)::bigint AS prompt, sum(m.completion_tokens)::bigint AS completion,
       sum(m.cached_tokens)::bigint AS cached, sum(m.reasoning_tokens)::bigint AS reasoning, sum(m.cost_usd) AS cost,
       ${count("m.status = 'completed' AND m.cost_usd IS NULL")} AS unpriced`,
      `m.request_type = 'continuation' AND ${HAS_ENDED_OR_IS_NO_MODEL_CALL}`,
    ),
  );
  figures.addToolCalls(
    await select(`count(*) AS calls, ${count("m.status IN ('failed', 'timeout')")} AS failures`, "m.request_type = 'tool_call'"),
  );
  return figures.all();
};
