/** The list of a call of the `todo` tool, if its input is one. */
import type { Json } from "@retinue/protocol";
import type { TodoItem } from "./session-view.ts";

const STATUSES: ReadonlySet<unknown> = new Set<TodoItem["status"]>(["pending", "in_progress", "completed"]);

const isItem = (value: unknown): value is TodoItem =>
  typeof value === "object" &&
  value !== null &&
  "text" in value &&
  typeof value.text === "string" &&
  "status" in value &&
  STATUSES.has(value.status);

export const readTodo = (input: Json | undefined): readonly TodoItem[] | null => {
  if (typeof input !== "object" || input === null || !("items" in input)) return null;
  const { items } = input;
  return Array.isArray(items) ? items.filter(isItem).map(({ text, status }) => ({ text, status })) : null;
};
