/** What the runs took: small charts of cost, success and time by agent and by day, and the figures beneath each. */
import type { RouteOutput } from "@retinue/protocol/routes";
import { useState } from "react";
import { count, money, plural, took } from "../parts/amounts.ts";
import { useCall } from "../server/use-call.ts";
import { ErrorNote } from "../tree/tool-card.tsx";
import { BarChart, DayChart } from "./small-chart.tsx";

type Stats = RouteOutput<"getStats">["stats"][number];

const percent = (rate: number | null): string => (rate === null ? "–" : `${Math.round(rate * 100)} %`);
const meanMs = ({ durationMs, runs }: Stats): number => (runs === 0 ? 0 : durationMs / runs);

const KEYS = [
  { by: "agent", label: "Agent" },
  { by: "model", label: "Model" },
  { by: "depth", label: "Depth" },
  { by: "pair", label: "Who asked whom" },
] as const;

const Table = ({ rows, label }: { readonly rows: readonly Stats[]; readonly label: string }) => (
  <div className="scroll-x" tabIndex={0} role="group" aria-label={`Figures by ${label.toLowerCase()}`}>
    <table className="figures">
      <thead>
        <tr>
          {[label, "runs", "success", "mean time", "tokens in", "tokens out", "tool calls", "cost"].map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key}>
            <td>{row.key}</td>
            <td>{row.runs}</td>
            <td>{percent(row.successRate)}</td>
            <td>{took(meanMs(row))}</td>
            <td>{count(row.promptTokens)}</td>
            <td>{count(row.completionTokens)}</td>
            <td>
              {row.toolCalls}
              {row.toolFailures === 0 ? "" : ` (${row.toolFailures} failed)`}
            </td>
            <td>{money(row.costUsd)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

export const StatsScreen = () => {
  const [by, setBy] = useState<(typeof KEYS)[number]["by"]>("agent");
  const figures = useCall("getStats", { query: { by } });
  const days = useCall("getStats", { query: { by: "day" } });
  const rows = (figures.value?.stats ?? []).toSorted((a, b) => b.runs - a.runs);
  const byDay = (days.value?.stats ?? []).toSorted((a, b) => (a.key < b.key ? -1 : 1)).slice(-30);
  const total = byDay.reduce((sum, day) => ({ runs: sum.runs + day.runs, costUsd: sum.costUsd + day.costUsd }), {
    runs: 0,
    costUsd: 0,
  });
  const label = KEYS.find((key) => key.by === by)?.label ?? "Agent";
  return (
    <main className="screen scroll">
      <div className="screen-inner is-wide">
        <h1>Stats</h1>
        <p className="quiet">
          {plural(total.runs, "run")}, {money(total.costUsd)} on {plural(byDay.length, "day")} with work
        </p>
        {figures.error === null ? null : <ErrorNote error={figures.error} />}
        <div className="multiples">
          <DayChart title="Cost by day" days={byDay.map(({ key, costUsd }) => ({ key, value: costUsd }))} format={money} />
          <DayChart title="Runs by day" days={byDay.map(({ key, runs }) => ({ key, value: runs }))} format={String} />
          <DayChart
            title="Success by day"
            days={byDay.map(({ key, successRate }) => ({ key, value: successRate ?? 0 }))}
            format={percent}
            max={1}
          />
        </div>
        <div className="scroll-x" tabIndex={0} role="group" aria-label="Figures by day, as a table">
          <details>
            <summary className="small">As a table</summary>
            <Table rows={byDay.toReversed()} label="Day" />
          </details>
        </div>
        <div className="tabs" role="tablist" aria-label="Figures by">
          {KEYS.map((key) => (
            <button key={key.by} type="button" role="tab" aria-selected={by === key.by} onClick={() => setBy(key.by)}>
              {key.label}
            </button>
          ))}
        </div>
        <div className="multiples">
          <BarChart title="Cost" bars={rows.map(({ key, costUsd }) => ({ key, value: costUsd }))} format={money} />
          <BarChart
            title="Success"
            bars={rows.map(({ key, successRate }) => ({ key, value: successRate ?? 0 }))}
            format={percent}
            max={1}
          />
          <BarChart title="Mean time" bars={rows.map((row) => ({ key: row.key, value: meanMs(row) }))} format={took} />
        </div>
        <Table rows={rows} label={label} />
      </div>
    </main>
  );
};
