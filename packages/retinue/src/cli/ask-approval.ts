/**
 * Asks the human at the terminal whether an act may be done. What is shown is the act itself as it would be executed, made
 * safe to print and never cut without saying so; what the model says about it is not shown at all.
 */
import type { ApprovalAnswer, ApprovalRequest } from "@retinue/runtime";
import { toPrintable } from "../terminal/printable.ts";
import { formatInput, formatTouched, formatWish } from "./format-act.ts";
import type { Redact } from "./format-error.ts";

export type Ask = (question: string, signal: AbortSignal) => Promise<string>;

/** About a screen. Longer acts are shown by their ends first, and whole when asked. */
const MOST_CHARS = 2_000;

const line = (text: string): string => toPrintable(text, "line");

const shorten = (body: string, hash: string): string => {
  if (body.length <= MOST_CHARS) return body;
  const half = MOST_CHARS / 2;
  const middle = `\n  … ${body.length - MOST_CHARS} of ${body.length} characters are not shown (sha256 ${hash}); v shows all …\n`;
  return body.slice(0, half) + middle + body.slice(-half);
};

/** Undefined for what is no answer. */
const toAnswer = (text: string): ApprovalAnswer | undefined => {
  const [, word = "", rest = ""] = /^\s*(\S*)\s*(.*?)\s*$/s.exec(text) ?? [];
  switch (word.toLowerCase()) {
    case "y":
    case "yes":
      return { allowed: true, scope: "once" };
    case "r":
      return { allowed: true, scope: "run" };
    case "s":
      return { allowed: true, scope: "session" };
    case "":
    case "n":
    case "no":
      return { allowed: false, reason: rest === "" ? "The user said no." : `The user said no: ${rest}` };
    default:
      return undefined;
  }
};

/** Agents that ask at the same time are answered one after the other. */
export const createApprover = (
  ask: Ask,
  redact: Redact,
): ((request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalAnswer>) => {
  let last: Promise<unknown> = Promise.resolve();
  return (request, signal) => {
    const answer = last.then(() => askApproval(request, { ask, redact, signal }));
    last = answer;
    return answer;
  };
};

const askApproval = async (
  request: ApprovalRequest,
  { ask, redact, signal }: { readonly ask: Ask; readonly redact: Redact; readonly signal: AbortSignal },
): Promise<ApprovalAnswer> => {
  const { act, run } = request;
  const body = formatInput(act, redact).join("\n");
  const touches = formatTouched(act, redact)
    .map((row) => `${row}\n`)
    .join("");
  const head = `\n${line(run.agent)} wants to ${formatWish(act)}:\n`;
  const isLong = body.length > MOST_CHARS;
  const choices = `y once, r for this run, s for this session, n or n reason${isLong ? ", v view all" : ""}`;
  let question = `${head}${shorten(body, request.hash)}\n${touches}Allow it? [${choices}] `;
  for (;;) {
    let text: string;
    try {
      text = await ask(question, signal);
    } catch {
      // Cancelled, or the terminal is gone: nobody said yes.
      return { allowed: false, reason: "Nobody answered." };
    }
    const answer = toAnswer(text);
    if (answer) return answer;
    const wantsAll = isLong && text.trim().toLowerCase() === "v";
    question = wantsAll ? `${head}${body}\n${touches}Allow it? [${choices}] ` : `Please answer with ${choices}: `;
  }
};
