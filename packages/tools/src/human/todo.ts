/**
 * `todo`: the run's list of what is to be done. The list is what was last given; it stands in the conversation and in the record, so that a
 * resumed run has it without anything else being kept.
 */
import type { Tool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";

const INPUT = z.object({
  items: z
    .array(
      z.object({
        text: z.string().trim().min(1).max(500),
        status: z.enum(["pending", "in_progress", "completed"]).default("pending"),
      }),
    )
    .max(100),
});

export type TodoInput = z.infer<typeof INPUT>;
export type TodoItem = TodoInput["items"][number];

const MARKS: Readonly<Record<TodoItem["status"], string>> = { pending: "[ ]", in_progress: "[>]", completed: "[x]" };

export const createTodoTool = (): Tool<TodoInput> =>
  defineTool({
    name: "todo",
    description: "Keeps your list of steps; the whole list each time, one item in progress.",
    input: INPUT,
    effect: "read",
    execute: ({ items }) => toTodoText(items),
  });

/** The list as it is shown, to models and to people. */
export const toTodoText = (items: readonly TodoItem[]): string => {
  if (items.length === 0) return "The list is empty.";
  const lines = items.map(({ text, status }) => `${MARKS[status]} ${text.replaceAll(/\s+/g, " ")}`);
  const done = items.filter(({ status }) => status === "completed").length;
  const current = items.filter(({ status }) => status === "in_progress").length;
  const note = current > 1 ? ` ${current} are in progress; one at a time is better.` : "";
  return `${lines.join("\n")}\n${done} of ${items.length} completed.${note}`;
};
