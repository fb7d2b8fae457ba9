/**
 * Tasks that hold the calls to be made: with them a person, a plan or a test runner, and not a model, decides what a run does. The run is recorded,
 * limited and judged like any other; its model, `offline/call`, makes the calls one after the other and hands back what came out.
 */
import type { Json } from "./json.ts";

/** The model that makes just the calls that its task holds. */
export const CALL_MODEL = "offline/call";

const OPENING = "```retinue-call";
const CLOSING = "```";

export type GivenCall = { readonly tool: string; readonly input: Json };

/** Several calls, of which none is made after one that failed, unless all are wanted. */
export type GivenCalls = { readonly calls: readonly GivenCall[]; readonly all?: boolean };

/** What came out of one of several calls. */
export type CallOutcome = { readonly tool: string; readonly isError: boolean; readonly text: string };

/** `words` are for people. */
export const toCallTask = (words: string, call: GivenCall | GivenCalls): string =>
  `${words}\n\n${OPENING}\n${JSON.stringify(call)}\n${CLOSING}`;

/** The words alone, as people are shown such a task. */
export const withoutCalls = (text: string): string => {
  if (readCallTask(text) === undefined) return text;
  return text.slice(0, text.lastIndexOf(`${OPENING}\n`)).trimEnd();
};

/** Undefined where the text holds no calls. */
export const readCallTask = (text: string): GivenCall | GivenCalls | undefined => {
  const from = text.lastIndexOf(`${OPENING}\n`);
  const to = text.lastIndexOf(`\n${CLOSING}`);
  if (from < 0 || to < from) return undefined;
  try {
    const value: unknown = JSON.parse(text.slice(from + OPENING.length + 1, to));
    if (isCall(value)) return value;
    return isRecord(value) && Array.isArray(value["calls"]) && value["calls"].every(isCall)
      ? { calls: value["calls"], all: value["all"] === true }
      : undefined;
  } catch {
    return undefined;
  }
};

/** What a run of several calls says last. Null where it was cut short. */
export const readCallOutcomes = (text: string): readonly CallOutcome[] | null => {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every(isOutcome) ? value : null;
  } catch {
    return null;
  }
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null;

const isCall = (value: unknown): value is GivenCall => isRecord(value) && typeof value["tool"] === "string" && "input" in value;

const isOutcome = (value: unknown): value is CallOutcome =>
  isRecord(value) &&
  typeof value["tool"] === "string" &&
  typeof value["isError"] === "boolean" &&
  typeof value["text"] === "string";
