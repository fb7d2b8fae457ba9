/**
 * Asks the human at the terminal whether an act may be done. What is shown is the act itself as it would be executed, made
 * safe to print and never cut without saying so; what the model says about it is not shown at all.
 */
import type { ApprovalAnswer, ApprovalRequest } from "@retinue/runtime";
import { toPrintable } from "../terminal/printable.ts";
import type { Screen } from "./fit-to-screen.ts";
import { fitToScreen } from "./fit-to-screen.ts";
import { formatInput, formatTouched, formatWish } from "./format-act.ts";
import type { Redact } from "./format-error.ts";

export type Ask = (question: string, signal: AbortSignal) => Promise<string>;

/** Where a terminal does not tell its size. */
const SMALLEST: Screen = { rows: 24, columns: 80 };
/** What stands around the act: who asks and the choices, each of two rows, what is left out, and where one types. */
const ROWS_AROUND = 8;
const FEWEST_ROWS = 4;

const line = (text: string): string => toPrintable(text, "line");

/** Undefined where the act needs no shortening: head and tail of it, so that who asks and what is asked never leave the screen. */
const shorten = (body: string, hash: string, { rows, columns }: Screen): string | undefined => {
  const fitted = fitToScreen(body, { rows: Math.max(FEWEST_ROWS, rows - ROWS_AROUND), columns });
  if (fitted === undefined) return undefined;
  const { head, tail, linesLeft, charsLeft } = fitted;
  const lines = body.split("\n").length;
  const left = `${linesLeft} of ${lines} lines and ${charsLeft} of ${body.length} characters are not shown`;
  return `${head}\n  … ${left} (sha256 ${hash}); v shows all …\n${tail}`;
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
  screen: () => Partial<Screen> = () => ({}),
): ((request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalAnswer>) => {
  let last: Promise<unknown> = Promise.resolve();
  return (request, signal) => {
    const answer = last.then(() => askApproval(request, { ask, redact, signal, screen: { ...SMALLEST, ...screen() } }));
    last = answer;
    return answer;
  };
};

type Asking = { readonly ask: Ask; readonly redact: Redact; readonly signal: AbortSignal; readonly screen: Screen };

const askApproval = async (request: ApprovalRequest, { ask, redact, signal, screen }: Asking): Promise<ApprovalAnswer> => {
  const { act, run } = request;
  const body = [...formatInput(act, redact), ...formatTouched(act, redact)].join("\n");
  const head = `\n${line(run.agent)} wants to ${formatWish(act)}:\n`;
  const short = shorten(body, request.hash, screen);
  const isLong = short !== undefined;
  const choices = `y once, r for this run, s for this session, n or n reason${isLong ? ", v view all" : ""}`;
  const shown = `${head}${short ?? body}\nAllow it? [${choices}] `;
  let question = shown;
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
    // The whole may take many screens; what it is about then stands below it once more.
    question = wantsAll ? `${head}${body}\n${shown}` : `Please answer with ${choices}: `;
  }
};
