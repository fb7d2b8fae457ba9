/** When two delegations are the same: one agent, one task, whatever their spaces and case. */
import type { EventOf, JsonObject, RunSpec } from "@retinue/protocol";
import { DELEGATE } from "./delegate-tool-name.ts";
import { wordInput } from "./word-input.ts";

export const delegationKey = (agent: string, task: string): string =>
  `${agent}\0${task.replaceAll(/\s+/g, " ").trim().toLowerCase()}`;

/** Of a call that was started, whichever tool it was made with; undefined for one that is no delegation. */
export const keyOfDelegation = (
  { delegates }: Pick<RunSpec, "delegates">,
  { tool, input }: Pick<EventOf<"tool.started">, "tool" | "input">,
): string | undefined => {
  const isDelegation = tool === DELEGATE || delegates.includes(tool);
  if (!isDelegation || typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const { agent, task, ...more } = input as JsonObject;
  const isPlain = typeof task === "string" && (tool === DELEGATE || Object.keys(more).length === 0);
  return delegationKey(
    tool === DELEGATE && typeof agent === "string" ? agent : tool,
    isPlain ? task : wordInput(input as JsonObject),
  );
};
