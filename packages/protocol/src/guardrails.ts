/** What code hangs on the way in and out of runs: functions that look at what is asked and at what is answered, and may refuse it. */
import type { RunIdentity } from "./events.ts";
import type { Json } from "./json.ts";
import type { UserPart } from "./messages.ts";

export type GuardedInput = {
  readonly agent: string;
  readonly run: RunIdentity;
  /** All texts of it. */
  readonly text: string;
  readonly parts: readonly UserPart[];
};

export type GuardedOutput = {
  readonly agent: string;
  readonly run: RunIdentity;
  /** What the agent said last. */
  readonly text: string;
  /** What it handed in by its output schema, where it has one. */
  readonly output?: Json;
};

/** Nothing where it may pass. One that throws, or does not answer in time, has refused. */
export type GuardrailVerdict = void | undefined | { readonly refuse: string };

export type Guardrail<Guarded> = (guarded: Guarded, signal: AbortSignal) => GuardrailVerdict | Promise<GuardrailVerdict>;

/** They are asked in order, and the first that refuses ends the run with `guardrail_refused`. */
export type Guardrails = {
  readonly input?: readonly Guardrail<GuardedInput>[];
  readonly output?: readonly Guardrail<GuardedOutput>[];
};
