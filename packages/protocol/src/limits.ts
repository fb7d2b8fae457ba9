/** What a run may use at most. An absent limit is no limit of its own: the one above still holds. */
export type Limits = {
  /** Model calls that may use tools. The hand-in turn after a limit is not one of them. */
  readonly iterations?: number;
  readonly toolCalls?: number;
  readonly durationMs?: number;
  /** Size of one request, by measured tokens. */
  readonly contextTokens?: number;
  /** Input and output of all model calls together. */
  readonly tokens?: number;
  readonly costUsd?: number;
};

export type LimitName = keyof Limits;

export const LIMIT_NAMES = [
  "iterations",
  "toolCalls",
  "durationMs",
  "contextTokens",
  "tokens",
  "costUsd",
] as const satisfies readonly LimitName[];
