/** What a hook of Claude Code says by its exit code and its output, as far as it can say it here. It can allow nothing and change no input. */
import type { ClaudeHookEvent } from "@retinue/agents";
import { RetinueError } from "@retinue/protocol";
import type { HookEnd } from "./hook-process.ts";

export type ClaudeAnswer = {
  /** `deny` after a call, or at an end, is what the agent is told. */
  readonly decision?: "deny" | "ask";
  readonly reason?: string;
  readonly context?: string;
};

const DENIED = 2;
/** What a shell says of a program that cannot be run, or is not there. */
const NOT_RUN = [126, 127];

/** Throws where the hook was not run at all. */
export const readClaudeAnswer = (event: ClaudeHookEvent, { exitCode, out, err, ended }: HookEnd): ClaudeAnswer => {
  if (exitCode === DENIED) return { decision: "deny", ...(err === "" ? {} : { reason: err }) };
  if (exitCode === null || NOT_RUN.includes(exitCode)) throw new RetinueError("tool_failed", ended);
  if (exitCode !== 0) return { context: `${ended} (only exit code 2 denies)` };
  const said = readJson(out);
  // Only here is plain output for the model.
  if (!said) return event === "UserPromptSubmit" && out.trim() !== "" ? { context: out.trim() } : {};
  const own = isRecord(said["hookSpecificOutput"]) ? said["hookSpecificOutput"] : {};
  const reason = textOf(own["permissionDecisionReason"]) ?? textOf(said["reason"]) ?? textOf(said["stopReason"]);
  const decision = decisionOf(event, said, own);
  const context = textOf(own["additionalContext"]);
  const changed = event === "PreToolUse" && own["updatedInput"] !== undefined;
  if (changed && decision !== "deny")
    return {
      decision: "deny",
      reason: "the hook wants the call made with other input, which is not done here; make it so yourself",
    };
  return {
    ...(decision === undefined ? {} : { decision }),
    ...(reason === undefined ? {} : { reason }),
    ...(context === undefined ? {} : { context }),
  };
};

type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value.trim() !== "" ? value : undefined);

const readJson = (out: string): Fields | undefined => {
  try {
    const value: unknown = JSON.parse(out);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const decisionOf = (event: ClaudeHookEvent, said: Fields, own: Fields): ClaudeAnswer["decision"] => {
  // A hook that wants all work to stop does not keep an agent at it.
  if (said["continue"] === false) return event === "Stop" || event === "SubagentStop" ? undefined : "deny";
  if (said["decision"] === "block" || own["permissionDecision"] === "deny") return "deny";
  return own["permissionDecision"] === "ask" ? "ask" : undefined;
};
