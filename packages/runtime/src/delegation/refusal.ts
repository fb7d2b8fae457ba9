/** Delegations that are not made are answered with a value, like results: what is wrong, and how deep the run is that asked. */
import type { ErrorValue, JsonObject } from "@retinue/protocol";
import type { ToolOutput } from "../loop/tool.ts";
import { resolveToolName } from "../policy/tool-names.ts";
import type { RunState } from "../record/run-state.ts";
import { findAgentNamed } from "./agent-name.ts";
import { DELEGATE } from "./delegate-tool-name.ts";
import type { ReportForm } from "./report.ts";

export const toRefusal = (
  error: ErrorValue,
  currentDepth: number,
  form: ReportForm["type"] = "result",
): Exclude<ToolOutput, string> => ({
  content: [{ type: "text", text: JSON.stringify(refusalOf(error, currentDepth, form)) }],
  isError: true,
  error,
});

const refusalOf = ({ code, message, hint }: ErrorValue, currentDepth: number, form: ReportForm["type"]): JsonObject => {
  const error = `${code}: ${message}${hint === undefined ? "" : ` ${hint}`}`;
  return form === "skill" ? { error, current_depth: currentDepth } : { status: "failed", error, currentDepth };
};

/** Whether a call of a tool that the run has not was meant as a delegation: by the tool for it, or by an agent that is a tool where it is not so deep. */
export const isDelegation = (tool: string, { spec }: RunState): boolean =>
  resolveToolName(tool) === DELEGATE ||
  findAgentNamed(
    tool,
    (spec.tooDeepFor ?? []).map((name) => ({ name, aliases: [] })),
  ) !== undefined;

/** Why a run that has no tool to delegate with may not delegate. */
export const noDelegation = ({ identity, spec }: RunState): ErrorValue => {
  const { depth } = identity;
  const { maxDepth } = spec.grant;
  return depth >= maxDepth
    ? {
        code: "depth_exceeded",
        message: `This run is at depth ${depth}, and ${maxDepth} is the deepest. Do the task yourself with the tools that you have, or hand in what you know.`,
      }
    : {
        code: "agent_unknown",
        message: `The agent ${identity.agent} may start no others. Do the task yourself with the tools that you have, or hand in what you know.`,
      };
};
