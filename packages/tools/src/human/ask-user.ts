/** `ask_user`: a question to the human, and their answer. Where nobody is there it says so at once instead of waiting. */
import type { Tool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import type { CallId, RunIdentity } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { z } from "zod";

const MOST_ANSWER_CHARS = 100_000;
/** People take their time; the run's own limits hold all the same. */
const TIMEOUT_MS = 24 * 60 * 60 * 1000;

const INPUT = z.object({
  question: z.string().trim().min(1).max(4000),
  options: z.array(z.string().trim().min(1).max(500)).min(2).max(10).optional(),
});

export type AskUserInput = z.infer<typeof INPUT>;

export type Question = {
  readonly question: string;
  readonly options: readonly string[];
  /** Who asks, and by which call. */
  readonly run: RunIdentity;
  readonly callId: CallId;
};

/** Resolves to undefined when nobody answers. */
export type AskUser = (question: Question, signal: AbortSignal) => Promise<string | undefined>;

export type AskUserOptions = {
  /** Absent: nobody is there. */
  readonly ask?: AskUser;
};

export const createAskUserTool = ({ ask }: AskUserOptions = {}): Tool<AskUserInput> =>
  defineTool({
    name: "ask_user",
    description: "Asks the user what only they can decide.",
    input: INPUT,
    effect: "read",
    timeoutMs: TIMEOUT_MS,
    execute: async ({ question, options = [] }, { signal, run, callId }) => {
      if (ask === undefined) throw nobody("Nobody is there to answer.");
      const answer = await ask({ question, options, run, callId }, signal);
      if (answer === undefined) throw nobody("The user did not answer.");
      const text = answer.trim();
      if (text === "") return "The user answered with nothing.";
      const shown = text.length > MOST_ANSWER_CHARS ? `${text.slice(0, MOST_ANSWER_CHARS).toWellFormed()}… [cut]` : text;
      return `The user answered: ${shown}`;
    },
  });

const nobody = (message: string): RetinueError =>
  new RetinueError("tool_failed", message, {
    hint: "Decide yourself where you can and say what you assumed; else hand in what you have and name the open question.",
  });
