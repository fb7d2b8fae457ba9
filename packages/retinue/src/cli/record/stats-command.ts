/** `retinue stats`: how runs ended and what they took, by agent, model, depth, pair or day. */
import { RetinueError } from "@retinue/protocol";
import type { Stats, StatsKey } from "@retinue/store";
import { STATS_KEYS } from "@retinue/store";
import { toJsonLine } from "../../terminal/json-line.ts";
import { brief, duration, money } from "../amounts.ts";
import { EXIT } from "../exit-code.ts";
import type { Redact } from "../format-error.ts";
import { withSpinner } from "../live/spinner.ts";
import type { SessionOptions } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Column } from "../table.ts";
import { formatTable } from "../table.ts";
import { findSession } from "./find-session.ts";
import { withRecord } from "./open-for-command.ts";
import { parseSince } from "./parse-since.ts";
import { toCell } from "./to-cell.ts";
import { wrongFigures } from "./wrong-figures.ts";

export type StatsOptions = Pick<SessionOptions, "workspace"> & {
  readonly by?: string;
  readonly since?: string;
  readonly session?: string;
  readonly json?: boolean;
};

const toKey = (by: string): StatsKey => {
  const key = STATS_KEYS.find((one) => one === by);
  if (key === undefined) throw new RetinueError("usage", `--by is one of ${STATS_KEYS.join(", ")}, not ${by}.`);
  return key;
};

export const statsCommand = (
  { by, since, session, json, ...options }: StatsOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const key = toKey(by ?? "agent");
  const from = since === undefined ? undefined : parseSince(since, "--since", Date.now());
  return withRecord(options, surroundings, async (record) => {
    const { stdout, stderr, redact } = surroundings;
    const within = session === undefined ? undefined : await findSession(session, record);
    const stats = await withSpinner("counting", { ...surroundings, isSilent: json === true }, () =>
      record.sessions.stats({
        by: key,
        ...(from === undefined ? {} : { since: from }),
        ...(within === undefined ? {} : { sessionId: within.sessionId }),
      }),
    );
    if (json === true) await stdout.write(`${toJsonLine({ by: key, since: from ?? null, stats }, redact)}\n`);
    else for (const line of formatStats(stats, key, redact)) await stdout.write(`${line}\n`);
    for (const line of wrongFigures(stats, (row) => toCell(row.key, redact))) await stderr.write(`${line}\n`);
    if (stats.length === 0 && json !== true) await stderr.write("retinue: nothing is recorded yet.\n");
    return EXIT.done;
  });
};

/** Time, tokens and money together, over all runs of a row. */
export const formatStats = (stats: readonly Stats[], by: StatsKey, redact: Redact): readonly string[] => {
  if (stats.length === 0) return [];
  const columns: readonly Column[] = [
    { title: by, isFlexible: true },
    { title: "runs", align: "right" },
    { title: "done", align: "right" },
    { title: "partial", align: "right" },
    { title: "time", align: "right" },
    { title: "in", align: "right" },
    { title: "out", align: "right" },
    { title: "cost", align: "right" },
  ];
  const [head = "", ...rows] = formatTable(
    columns,
    stats.map((one) => toRow(one, redact)),
  );
  return [head, ...rows.flatMap((row, index) => [row, ...toBailouts(stats[index], redact)])];
};

const toRow = (stats: Stats, redact: Redact): readonly string[] => [
  toCell(stats.key, redact),
  String(stats.runs),
  stats.successRate === null ? "" : `${Math.round(stats.successRate * 100)} %`,
  String(stats.partial),
  duration(stats.durationMs),
  brief(stats.promptTokens),
  brief(stats.completionTokens),
  stats.unpricedCalls > 0 && stats.costUsd === 0 ? "?" : money(stats.costUsd),
];

const toBailouts = (stats: Stats | undefined, redact: Redact): readonly string[] => {
  const reasons = Object.entries(stats?.bailouts ?? {}).map(([reason, times]) => `${toCell(reason, redact)} ${times}`);
  return reasons.length === 0 ? [] : [`  stopped early: ${reasons.join(", ")}`];
};
