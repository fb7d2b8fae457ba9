/** Delegations that are not made are answered with a value, like results: what is wrong, and how deep the run is that asked. */
import type { ErrorValue, JsonObject } from "@retinue/protocol";
import type { RunState } from "../record/run-state.ts";
import type { ToolOutput } from "../loop/tool.ts";

export const toRefusal = (error: ErrorValue, currentDepth: number): Exclude<ToolOutput, string> => ({
  content: [{ type: "text", text: JSON.stringify(refusalOf(error, currentDepth)) }],
  isError: true,
  error,
});

const refusalOf = ({ code, message, hint }: ErrorValue, currentDepth: number): JsonObject => ({
  error: `${code}: ${message}${hint === undefined ? "" : ` ${hint}`}`,
  currentDepth,
});

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
