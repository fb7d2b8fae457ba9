/** `ask_user`: a question to the human, and their answer. It stands in the record like every act that a human is asked about, and may be answered from anywhere. */
import type { Tool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { RetinueError } from "@retinue/protocol";
import { z } from "zod";

const MOST_ANSWER_CHARS = 100_000;

const INPUT = z.object({
  question: z.string().trim().min(1).max(4000),
  options: z.array(z.string().trim().min(1).max(500)).min(2).max(10).optional(),
});

export type AskUserInput = z.infer<typeof INPUT>;

export const createAskUserTool = (): Tool<AskUserInput> =>
  defineTool({
    name: "ask_user",
    description: "Asks the user what only they can decide.",
    input: INPUT,
    effect: "read",
    touches: ({ question, options = [] }) => ({ question: { text: question, options } }),
    execute: (_, { answer }) => {
      if (answer === undefined)
        throw new RetinueError("tool_failed", "The user did not answer.", {
          hint: "Decide yourself where you can and say what you assumed; else hand in what you have and name the open question.",
        });
      const text = answer.trim();
      if (text === "") return "The user answered with nothing.";
      const shown = text.length > MOST_ANSWER_CHARS ? `${text.slice(0, MOST_ANSWER_CHARS).toWellFormed()}… [cut]` : text;
      return `The user answered: ${shown}`;
    },
  });
