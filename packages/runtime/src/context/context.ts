/**
 * Keeps a conversation inside its context limit: older tool outputs are cleared first, then the middle is summarised. System prompt, task
 * and the latest turns stay whole. It plans and words; the loop records what was done.
 */
import type { CallId, Message } from "@retinue/protocol";
import { estimateMessage, estimateText } from "./estimate.ts";
import type { RunState } from "../record/run-state.ts";

/** Fitting goes further than it must, so that it is not due again at the next turn. */
const TARGET = 0.7;
/** Outputs smaller than what replaces them are left alone. */
const LEAST_CLEARED_TOKENS = 40;
const CLEARED_TOKENS = 25;
const LATEST_TURNS = 2;

export type ClearPlan = { readonly cleared: readonly CallId[]; readonly afterTokens: number };

/** Which outputs to clear, oldest first, until the request is well below the limit. */
export const planClearing = (state: RunState, requestTokens: number, limitTokens: number): ClearPlan => {
  const cleared: CallId[] = [];
  let after = requestTokens;
  const end = latestStart(state, LATEST_TURNS);
  for (let index = 0; index < end && after > limitTokens * TARGET; index += 1) {
    const message = state.messages[index];
    if (message?.role !== "tool" || estimateMessage(message) < LEAST_CLEARED_TOKENS) continue;
    cleared.push(message.callId);
    after -= estimateMessage(message) - CLEARED_TOKENS;
  }
  return { cleared, afterTokens: after };
};

export type Range = { readonly from: number; readonly to: number; readonly tokens: number };

/** The messages to summarise next: what came before the task, else the middle after it. Null when nothing is left to fold away. */
export const summaryRange = (state: RunState): Range | null => {
  const range = (from: number, to: number): Range | null =>
    to - from < 2
      ? null
      : { from, to, tokens: state.messages.slice(from, to).reduce((sum, message) => sum + estimateMessage(message), 0) };
  return (
    range(0, state.taskIndex) ??
    range(state.taskIndex + 1, latestStart(state, LATEST_TURNS)) ??
    range(state.taskIndex + 1, latestStart(state, 1))
  );
};

/** Where the latest `turns` turns begin: at an assistant message, so that calls and their results stay together. */
const latestStart = (state: RunState, turns: number): number => {
  let left = turns;
  for (let index = state.messages.length - 1; index > state.taskIndex; index -= 1)
    if (state.messages[index]?.role === "assistant" && --left === 0) return index;
  return state.taskIndex + 1;
};

export const SUMMARY_SYSTEM =
  "You compress the working notes of an agent so that it can go on without them. Keep: what was asked, what was found (paths, line numbers, " +
  "names, figures, exact error texts), what was changed, what was decided and why, what is still open. Leave out pleasantries and repetition. " +
  "Answer with the notes alone.";

/** The messages as plain text for whoever summarises them; `mostTokens` keeps that request inside its own limit. */
export const toTranscript = (messages: readonly Message[], mostTokens: number): string => {
  const lines: string[] = [];
  let tokens = 0;
  for (const message of messages) {
    const line = toLine(message);
    tokens += estimateText(line);
    if (tokens > mostTokens) {
      lines.push("[… the rest was too long to summarise]");
      break;
    }
    lines.push(line);
  }
  return lines.join("\n\n");
};

const toLine = (message: Message): string => {
  const said = message.content.map((part) => {
    switch (part.type) {
      case "text":
        return part.text;
      case "image":
        return "[image]";
      case "reasoning":
        return "";
      case "tool-call":
        return `[calls ${part.tool} ${part.arguments}]`;
      default:
        return part satisfies never;
    }
  });
  const who = message.role === "tool" ? `result of ${message.tool}` : message.role;
  return `${who}: ${said.filter((text) => text !== "").join("\n")}`;
};

/** What stands in for a summary when no model could write one: the calls that were made, without their results. */
export const toBareSummary = (messages: readonly Message[]): string => {
  const calls = messages.flatMap((message) =>
    message.content.flatMap((part) => (part.type === "tool-call" ? [`- ${part.tool} ${part.arguments.slice(0, 200)}`] : [])),
  );
  return `${messages.length} earlier messages were dropped to save context and could not be summarised. Calls made in them:\n${calls.join("\n") || "- none"}`;
};
