/** What a case cost in tokens: by one agent with everything in its context, and by an orchestrator with sub-agents. From the record alone. */
import type { RunView, SessionView } from "@retinue/client";

export type TokenBill = {
  readonly modelCalls: number;
  readonly totalTokens: number;
  readonly tokensPerCall: number;
  /** The largest request with its answer, of any agent. */
  readonly peakContext: number;
  readonly costUsd: number | null;
};

export const toTokenBill = ({ runs, spent }: SessionView): TokenBill => {
  const calls = [...runs.values()].flatMap(sizesOf);
  const totalTokens = spent.usage.input + spent.usage.output;
  return {
    modelCalls: calls.length,
    totalTokens,
    tokensPerCall: calls.length === 0 ? 0 : Math.round(totalTokens / calls.length),
    peakContext: Math.max(0, ...calls),
    costUsd: spent.unpricedCalls > 0 ? null : spent.costUsd,
  };
};

/** Calls that cost nothing are none: nobody was asked. */
const sizesOf = ({ steps }: RunView): readonly number[] =>
  steps.flatMap(({ usage }) => (usage === null || usage.input + usage.output === 0 ? [] : [usage.input + usage.output]));

export type Comparison = { readonly title: string; readonly flat: TokenBill; readonly orchestrated: TokenBill };

export const formatComparison = ({ title, flat, orchestrated }: Comparison): string => {
  const rows: readonly (readonly [string, string, string])[] = [
    ["", "flat", "orchestrated"],
    ["model calls", String(flat.modelCalls), String(orchestrated.modelCalls)],
    ["tokens per call", String(flat.tokensPerCall), String(orchestrated.tokensPerCall)],
    ["peak context", String(flat.peakContext), String(orchestrated.peakContext)],
    ["total tokens", String(flat.totalTokens), String(orchestrated.totalTokens)],
    ["cost", money(flat.costUsd), money(orchestrated.costUsd)],
  ];
  const share =
    flat.totalTokens === 0 ? "" : `\norchestrated / flat: ${(orchestrated.totalTokens / flat.totalTokens).toFixed(2)}`;
  return `${title}\n${rows.map(([name, one, other]) => `  ${name.padEnd(16)}${one.padStart(12)}${other.padStart(14)}`).join("\n")}${share}`;
};

const money = (usd: number | null): string => (usd === null ? "no price" : `$${usd.toFixed(4)}`);
