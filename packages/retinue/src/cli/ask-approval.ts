/**
 * Asks the human at the terminal whether an act may be done, or what an agent wants to know: who asks, with the agents above it, the act itself as it would be executed, what it would
 * change, and what each answer covers. All of it is made safe to print and never cut without saying so; what the model says about it is not shown at all.
 */
import type { ProposedAct, UserQuestion } from "@retinue/protocol";
import type { ApprovalAnswer, ApprovalRequest } from "@retinue/runtime";
import { toPrintable } from "../terminal/printable.ts";
import { describeAlike } from "./describe-cover.ts";
import type { Screen } from "./fit-to-screen.ts";
import { countRows, fitToScreen } from "./fit-to-screen.ts";
import { formatDiff, formatInput, formatTouched, formatUserQuestion, formatWish } from "./format-act.ts";
import type { Redact } from "./format-error.ts";

/** Draws `shown`, then asks at the end of `prompt`, and never takes for an answer what was typed before. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<string>;

export type Question = { readonly shown: string; readonly prompt: string };

export type ApproverOptions = {
  readonly ask: Ask;
  readonly redact: Redact;
  readonly screen?: () => Partial<Screen>;
  /** What the act would change, as a diff; undefined where there is none. */
  readonly readDiff?: (act: ProposedAct) => Promise<string | undefined>;
};

/** Where a terminal does not tell its size. */
const SMALLEST: Screen = { rows: 24, columns: 80 };
const FEWEST_ROWS = 4;
const PROMPT = "Allow it? ";

const line = (text: string): string => toPrintable(text, "line");

type Parts = { readonly head: readonly string[]; readonly body: string; readonly choices: readonly string[] };

/** Undefined where the act needs no shortening: head and tail of it, so that who asks and what is asked never leave the screen. */
const shorten = ({ head, body, choices }: Parts, hash: string, { rows, columns }: Screen): string | undefined => {
  const around = countRows([...head, ...choices, VIEW_ALL, PROMPT], columns);
  if (fitToScreen(body, { rows: rows - around, columns }) === undefined) return undefined;
  const left = (lines: number, of: number, chars: number, all: number): string =>
    `  … ${lines} of ${of} lines and ${chars} of ${all} characters are not shown (sha256 ${hash}); v shows all …`;
  const lines = body.split("\n").length;
  const gap = countRows([left(lines, lines, body.length, body.length)], columns);
  const fitted = fitToScreen(body, { rows: Math.max(FEWEST_ROWS, rows - around - gap), columns });
  if (fitted === undefined) return undefined;
  return `${fitted.head}\n${left(fitted.linesLeft, lines, fitted.charsLeft, body.length)}\n${fitted.tail}`;
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
  options: ApproverOptions,
): ((request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalAnswer>) => {
  let last: Promise<unknown> = Promise.resolve();
  return (request, signal) => {
    const { question } = request.act;
    const answer = last.then(() =>
      question === undefined ? askApproval(request, { ...options, signal }) : askWords(request, question, { ...options, signal }),
    );
    last = answer;
    return answer;
  };
};

const VIEW_ALL = "  v  view all of it";

/** `main > executor > tester`. */
const formatAgents = ({ agents = [], run }: ApprovalRequest): string => {
  const names = agents.length === 0 ? [run.agent] : agents;
  return [...(run.depth >= names.length ? ["…"] : []), ...names.map(line)].join(" > ");
};

const formatChoices = ({ act, run }: ApprovalRequest): readonly string[] => {
  const alike = describeAlike(act);
  return [
    "  y  once: this act",
    `  r  for this run of ${line(run.agent)}: ${alike}`,
    "  s  for this session: the same, for every agent",
    "  n  no; what follows the n is told to the agent as the reason",
  ];
};

/** An option by its number, or any words. */
const askWords = async (
  request: ApprovalRequest,
  { text, options }: UserQuestion,
  { ask, redact, signal }: ApproverOptions & { readonly signal: AbortSignal },
): Promise<ApprovalAnswer> => {
  const shown = ["", `${formatAgents(request)} asks you:`, ...formatUserQuestion({ text, options }, redact), ""].join("\n");
  let question: Question = { shown, prompt: options.length === 0 ? "Your answer: " : "Your answer, or a number: " };
  for (;;) {
    let said: string;
    try {
      said = (await ask(question, signal)).trim();
    } catch {
      return { allowed: false, reason: "nobody answered." };
    }
    if (said !== "") return { allowed: true, text: options[/^\d+$/.test(said) ? Number(said) - 1 : -1] ?? said };
    question = { shown: "", prompt: "Please type an answer (Ctrl-D leaves it to the agent): " };
  }
};

const askApproval = async (
  request: ApprovalRequest,
  { ask, redact, signal, screen = () => ({}), readDiff }: ApproverOptions & { readonly signal: AbortSignal },
): Promise<ApprovalAnswer> => {
  const { act } = request;
  const diff = await readDiff?.(act).catch(() => undefined);
  const input = formatInput(act, redact);
  const touched = formatTouched(act, redact);
  const head = ["", `${formatAgents(request)} wants to ${formatWish(act)}:`];
  const body = [...(diff === undefined ? input : formatDiff(diff, redact)), ...touched].join("\n");
  const choices = formatChoices(request);
  const short = shorten({ head, body, choices }, request.hash, { ...SMALLEST, ...screen() });
  const isLong = short !== undefined;
  const shown = [...head, short ?? body, ...choices, ...(isLong ? [VIEW_ALL] : []), ""].join("\n");
  const whole = [...head, body, ...(diff === undefined ? [] : ["  as it was called:", ...input]), ""].join("\n");
  let question: Question = { shown, prompt: PROMPT };
  let isSeen = !isLong;
  for (;;) {
    let text: string;
    try {
      text = await ask(question, signal);
    } catch {
      // Cancelled, or the terminal is gone: nobody said yes.
      return { allowed: false, reason: "Nobody answered." };
    }
    const answer = toAnswer(text);
    if (answer && (isSeen || !answer.allowed)) return answer;
    const wantsAll = isLong && text.trim().toLowerCase() === "v";
    // The whole may take many screens; what it is about then stands below it once more.
    isSeen ||= wantsAll;
    question = answer
      ? { shown: "", prompt: "Not all of it was shown. View all with v before you allow it, or answer n: " }
      : wantsAll
        ? { shown: whole + shown, prompt: PROMPT }
        : { shown: "", prompt: `Please answer with y, r, s, n or n reason${isLong ? ", or v to view all" : ""}: ` };
  }
};
