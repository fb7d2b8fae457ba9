/**
 * Asks the human at the terminal whether an act may be done. What is shown is the act itself as it would be executed, made
 * safe to print and never cut without saying so; what the model says about it is not shown at all.
 */
import type { ApprovalAnswer, ApprovalRequest } from "@retinue/runtime";
import { createHash } from "node:crypto";
import { toPrintable } from "../terminal/printable.ts";
import type { Redact } from "./format-error.ts";

export type Ask = (question: string, signal: AbortSignal) => Promise<string>;

/** About a screen. Longer acts are shown by their ends first, and whole when asked. */
const MOST_CHARS = 2_000;

const DENIED: ApprovalAnswer = { allowed: false, reason: "The user said no." };

const line = (text: string): string => toPrintable(text, "line");

const toBody = (request: ApprovalRequest, redact: Redact): string =>
  Object.entries(
    typeof request.act.input === "object" && request.act.input !== null && !Array.isArray(request.act.input)
      ? request.act.input
      : { input: request.act.input },
  )
    .flatMap(([key, value]) => {
      const text = redact(typeof value === "string" ? value : JSON.stringify(value));
      const lines = text.split("\n").map(line);
      return lines.length === 1
        ? [`  ${line(key)}: ${lines.join("")}`]
        : [`  ${line(key)}:`, ...lines.map((row) => `    ${row}`)];
    })
    .join("\n");

const shorten = (body: string): string => {
  if (body.length <= MOST_CHARS) return body;
  const hash = createHash("sha256").update(body).digest("hex").slice(0, 16);
  const half = MOST_CHARS / 2;
  const middle = `\n  … ${body.length - MOST_CHARS} of ${body.length} characters are not shown (sha256 ${hash}…); v shows all …\n`;
  return body.slice(0, half) + middle + body.slice(-half);
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
  const body = toBody(request, redact);
  const touches = [...act.paths, ...act.hosts].map((touched) => `  touches: ${line(redact(touched))}\n`).join("");
  const head = `\n${line(run.agent)} wants to ${act.effect === "network" ? "use the network" : act.effect} with ${line(act.tool)}:\n`;
  const isLong = body.length > MOST_CHARS;
  const choices = isLong ? "y yes, n no, v view all" : "y yes, n no";
  let question = `${head}${shorten(body)}\n${touches}Allow it once? [${choices}] `;
  for (;;) {
    let answer: string;
    try {
      answer = (await ask(question, signal)).trim().toLowerCase();
    } catch {
      // Cancelled, or the terminal is gone: nobody said yes.
      return { allowed: false, reason: "Nobody answered." };
    }
    if (answer === "y" || answer === "yes") return { allowed: true };
    if (answer === "" || answer === "n" || answer === "no") return DENIED;
    question =
      isLong && answer === "v" ? `${head}${body}\n${touches}Allow it once? [y yes, n no] ` : `Please answer with ${choices}: `;
  }
};
