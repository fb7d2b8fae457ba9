/** Which columns hold tokens and money, and what the projection writes into them where a record has impossible ones. */
import { MAX_CALL_TOKENS, MAX_TOTAL_TOKENS } from "@retinue/protocol";
import type { MessageRow } from "./message-row.ts";
import type { SessionRow } from "./project-session.ts";

export const MESSAGE_FIGURES = [
  "context_token_count",
  "prompt_tokens",
  "completion_tokens",
  "total_tokens",
  "cached_tokens",
  "reasoning_tokens",
  "cost_usd",
] as const satisfies readonly (keyof MessageRow)[];

export const SESSION_FIGURES = [
  "prompt_tokens",
  "completion_tokens",
  "cached_tokens",
  "reasoning_tokens",
  "cost_usd",
  "unpriced_calls",
] as const;

/** In the order of `SESSION_FIGURES`. */
export const toSessionFigures = (session: SessionRow): readonly number[] => [
  session.promptTokens,
  session.completionTokens,
  session.cachedTokens,
  session.reasoningTokens,
  session.costUsd,
  session.unpricedCalls,
];

const outside = (columns: readonly string[], most: number): string =>
  columns.map((column) => `${column} NOT BETWEEN 0 AND ${most}`).join(" OR ");

/** SQL conditions: rows in which a figure may be impossible. A sum of a run may be larger than a call; looking at it again changes nothing. */
export const MAY_BE_IMPOSSIBLE = {
  messages: outside(MESSAGE_FIGURES, MAX_CALL_TOKENS),
  sessions: outside(SESSION_FIGURES, MAX_TOTAL_TOKENS),
} as const;

/** SQL that replaces impossible figures by 0: for sessions whose events are damaged, too. */
export const toZeroed = (columns: readonly string[]): string =>
  columns
    .map((column) => `${column} = CASE WHEN ${column} NOT BETWEEN 0 AND ${MAX_TOTAL_TOKENS} THEN 0 ELSE ${column} END`)
    .join(", ");
