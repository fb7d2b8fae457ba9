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
  /** The folder that the run works in. */
  readonly workspace: string;
  /** The command lines that the call stands for, where it starts programs. */
  readonly commands?: readonly string[];
};

/** A run that has answered and would end. */
export type HookedEnd = {
  readonly run: RunIdentity;
  readonly workspace: string;
  readonly text: string;
  /** Whether it was sent back to work before. */
  readonly isAgain: boolean;
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
  /** Why the run may not end yet; undefined where it may. It is told so once and goes on; the second time it has failed. */
  readonly end?: (ended: HookedEnd, signal: AbortSignal) => Promise<string | undefined>;
  /** What was written for whoever works at these paths; each piece is told once, and again when it is no longer in the context. */
  readonly inform?: (run: RunIdentity, paths: readonly string[], workspace: string) => Promise<readonly string[]>;
};

/** Several hooks as one: each sees every call, in order; the strictest word counts, and everything that they add is added. */
export const combineHooks = (all: readonly Hooks[]): Hooks | undefined => {
  const [only, ...others] = all;
  if (!only || others.length === 0) return only;
  return {
    before: async (call, signal) => {
      const contexts: string[] = [];
      let ask: BeforeVerdict | undefined;
      for (const { before } of all) {
        const verdict = await before?.(call, signal);
        if (verdict?.decision === "deny") return verdict;
        if (verdict?.decision === "ask") ask ??= verdict;
        if (verdict?.context !== undefined) contexts.push(verdict.context);
      }
      return { ...ask, ...toContext(contexts) };
    },
    after: async (call, answer, signal) => {
      const contexts: string[] = [];
      for (const { after } of all) {
        // One that fails after the call has nothing to add.
        const more = await after?.(call, answer, signal).catch(() => undefined);
        if (more?.context !== undefined) contexts.push(more.context);
      }
      return toContext(contexts);
    },
    end: async (ended, signal) => {
      for (const { end } of all) {
        const reason = await end?.(ended, signal);
        if (reason !== undefined) return reason;
      }
      return undefined;
    },
    inform: async (run, paths, workspace) => {
      const pieces: string[] = [];
      for (const { inform } of all) if (inform) pieces.push(...(await inform(run, paths, workspace)));
      return pieces;
    },
  };
};

const toContext = (contexts: readonly string[]): { readonly context?: string } =>
  contexts.length === 0 ? {} : { context: contexts.join("\n") };

export const toHookText = (context: string): string => `[hook] ${context}`;
