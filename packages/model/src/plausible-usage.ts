/**
 * Counts what a provider does not: where its usage is missing, zero, impossible or far below what was sent and said, our own estimate takes its place.
 * Limits of tokens and money are reckoned with it, so that no server lifts them by saying little.
 */
import type { AssistantPart, Message, Usage, UserPart } from "@retinue/protocol";
import { isTokenCount } from "@retinue/protocol";
import type { Model, ModelAnswer, ModelRequest } from "./contract.ts";

/** What is usual. */
const CHARS_PER_TOKEN = 4;
/** More than any vocabulary makes of a whole text; long runs of blanks come close to it. */
const MOST_CHARS_PER_TOKEN = 32;

/**
 * The answer as it is counted: with the usage that was told where that can be, else with our own. `mostChars` is what the request was written as, which
 * is never shorter than its texts.
 */
export type CountAnswer = (answer: ModelAnswer, request: ModelRequest, mostChars?: number) => ModelAnswer;

export const createPlausibleCount =
  (price: Model["price"]): CountAnswer =>
  (answer, request, mostChars) => {
    const usage = toPlausible(answer, request, mostChars);
    return usage === answer.usage ? answer : { ...answer, usage, costUsd: price(usage) };
  };

const toPlausible = ({ usage, content }: ModelAnswer, request: ModelRequest, mostChars = Infinity): Usage => {
  // Where the whole text would do, a conversation of thousands of messages is not gone through again at every turn.
  const input = isPlausible(usage.input, mostChars) ? usage.input : atLeast(usage.input, charsOfRequest(request));
  const output = atLeast(usage.output, charsOf(content));
  const cached = clamp(usage.cached, input);
  const reasoning = clamp(usage.reasoning, output);
  const isSame = input === usage.input && output === usage.output && cached === usage.cached && reasoning === usage.reasoning;
  return isSame ? usage : { ...usage, input, output, cached, reasoning };
};

const isPlausible = (told: number, chars: number): boolean => isTokenCount(told) && told * MOST_CHARS_PER_TOKEN >= chars;

const atLeast = (told: number, chars: number): number => (isPlausible(told, chars) ? told : Math.ceil(chars / CHARS_PER_TOKEN));

const clamp = (told: number, most: number): number => (Number.isFinite(told) ? Math.min(Math.max(0, told), most) : 0);

const charsOfRequest = ({ system, messages, tools }: ModelRequest): number => {
  let chars = system.length;
  for (const message of messages) chars += charsOfMessage(message);
  for (const { name, description } of tools) chars += name.length + description.length;
  return chars;
};

const charsOfMessage = ({ content }: Message): number => charsOf(content);

const charsOf = (content: readonly (AssistantPart | UserPart)[]): number => {
  let chars = 0;
  for (const part of content) {
    if (part.type === "tool-call") chars += part.tool.length + part.arguments.length;
    else if (part.type !== "image") chars += part.text.length;
  }
  return chars;
};
