/**
 * What users hang on a run: functions that see each tool call before and after it runs. They may deny, have a human asked, or add to what the model
 * reads; what policy denies never reaches them, so that they can allow nothing. One that fails before a call has denied it.
 */
import type { CallId, Json, RunIdentity, ToolEffect, ToolOutcome } from "@retinue/protocol";

export type HookedCall = {
  readonly run: RunIdentity;
  readonly callId: CallId;
  readonly tool: string;
  readonly effect: ToolEffect;
  readonly input: Json;
};

export type BeforeVerdict = {
  readonly decision?: "deny" | "ask";
  readonly reason?: string;
  /** Put before the model together with the call's answer. */
  readonly context?: string;
};

export type Hooks = {
  readonly before?: (call: HookedCall, signal: AbortSignal) => Promise<BeforeVerdict | undefined>;
  readonly after?: (
    call: HookedCall,
    answer: { readonly outcome: ToolOutcome; readonly text: string },
    signal: AbortSignal,
  ) => Promise<{ readonly context?: string } | undefined>;
};

export const toHookText = (context: string): string => `[hook] ${context}`;
