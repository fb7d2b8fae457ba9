/** Makes a child's result what its parent reads: as long as the setting, the agent and the call let it be, or summarised where the agent says so. */
import type { ArtifactRef, JsonObject, RunResult } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { estimateText } from "../context/estimate.ts";
import type { Delegation, DelegationOptions } from "./delegation-request.ts";
import type { ReportForm } from "./report.ts";
import { createReport, RESULT_TOKENS, toSummaryReport } from "./report.ts";
import type { Spent, ToolContext } from "../loop/tool.ts";

/** An answer as short as a summary is not summarised. */
const SUMMARISED_TOKENS = 200;

export type HandedBack = { readonly report: JsonObject; readonly artifact?: ArtifactRef; readonly spent: readonly Spent[] };

export type Handing = {
  readonly options: Pick<DelegationOptions, "state" | "condense" | "resultTokens">;
  readonly agent: AgentDefinition;
  readonly delegation: Pick<Delegation, "form" | "called" | "result_tokens">;
  readonly context: Pick<ToolContext, "artifacts" | "signal">;
};

export const handBack = async (result: RunResult, handing: Handing): Promise<HandedBack> => {
  const { agent, delegation, context } = handing;
  const { artifacts } = context;
  const form = toReportForm(delegation, agent);
  const summary = await summarise(result, handing);
  if (summary.text !== undefined) {
    const artifact = await artifacts.write(result.details);
    return { artifact, spent: summary.spent, report: toSummaryReport(result, form, { summary: summary.text, artifact }) };
  }
  const reported = await createReport(result, { form, mostTokens: mostTokens(handing), artifacts });
  return { ...reported, spent: summary.spent };
};

/** As it was asked for, else as the agent is answered for. */
export const toReportForm = (
  { form, called }: Pick<Delegation, "form" | "called">,
  agent: Pick<AgentDefinition, "reportAs"> | undefined,
): ReportForm => ((form ?? agent?.reportAs) === "skill" ? { type: "skill", called } : { type: "result" });

/** The call may only ask for less; and what a turn brings back takes no more than half of the context. */
const mostTokens = ({ options, agent, delegation }: Handing): number => {
  const { state, resultTokens } = options;
  const { contextTokens } = state.spec.limits;
  const share = contextTokens === undefined ? Infinity : Math.floor(contextTokens / 2 / Math.max(1, state.turn?.calls.size ?? 1));
  return Math.min(agent.resultTokens ?? resultTokens ?? RESULT_TOKENS, delegation.result_tokens ?? Infinity, share);
};

type Summarised = { readonly text?: string; readonly spent: readonly Spent[] };

/** A summary that cannot be had leaves the answer as it is. */
const summarise = async (result: RunResult, { options, agent, context }: Handing): Promise<Summarised> => {
  const { summarize = "none" } = agent;
  if (summarize === "none" || result.details === "") return { spent: [] };
  if (summarize !== "model") {
    const text = await Promise.resolve(result)
      .then(summarize)
      .catch(() => undefined);
    return { spent: [], ...(typeof text === "string" && text !== "" ? { text } : {}) };
  }
  if (estimateText(result.details) <= SUMMARISED_TOKENS) return { spent: [] };
  const summary = await options.condense?.(result.details, context.signal).catch(() => undefined);
  return summary === undefined ? { spent: [] } : { text: summary.text, spent: [summary.spent] };
};
