/** A call in a few words: what it is done to, and what is being done while it runs. */
import type { CallView, RunView } from "@retinue/client";
import { toPrintable } from "@retinue/client/text";
import type { Json } from "@retinue/protocol";

const TELLING = [
  "path",
  "file",
  "command",
  "pattern",
  "query",
  "url",
  "agent",
  "name",
  "task",
  "question",
  "text",
  "title",
  "id",
] as const;

const isRecord = (value: unknown): value is Readonly<Record<string, Json>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const oneLine = (text: string): string => toPrintable(text.replaceAll(/\s+/g, " ").trim().slice(0, 300), "line");

/** As it was parsed, or as the model wrote it. */
export const inputOf = (call: Pick<CallView, "input" | "arguments">): unknown => {
  if (call.input !== undefined) return call.input;
  try {
    return call.arguments === null ? undefined : JSON.parse(call.arguments);
  } catch {
    return call.arguments;
  }
};

/** `src/cart.ts`, `npm test`, `parsePrice`: the one value of an input that says most. */
export const targetOf = (input: unknown): string => {
  if (typeof input === "string") return oneLine(input);
  if (!isRecord(input)) return "";
  const files = input["files"];
  if (Array.isArray(files))
    return files
      .flatMap((file) => (isRecord(file) && typeof file["path"] === "string" ? [oneLine(file["path"])] : []))
      .join(", ");
  for (const key of TELLING) {
    const value = input[key];
    if (typeof value === "string" && value !== "") return oneLine(value);
  }
  const [first] = Object.values(input).filter((value) => typeof value === "string" || typeof value === "number");
  return first === undefined ? "" : oneLine(String(first));
};

const DOING: Readonly<Record<string, string>> = {
  edit: "edits",
  write: "writes",
  read: "reads",
  grep: "searches for",
  glob: "looks for",
  ls: "lists",
  shell: "runs",
  test: "runs the tests",
  web_fetch: "fetches",
  web_search: "searches the web for",
};

export const describeCall = (call: CallView): string => `${DOING[call.tool] ?? call.tool} ${targetOf(inputOf(call))}`.trim();

/** What a run that is at work does now. */
export const describeActivity = (run: RunView): string => {
  const step = run.steps.at(-1);
  const open = step?.calls.filter(({ state }) => state !== "settled") ?? [];
  const [first] = open;
  // Its status and its card say so.
  if (first?.approval?.act.question !== undefined) return "";
  if (first !== undefined && first.children.length === 0)
    return open.length > 1 ? `${describeCall(first)} and ${open.length - 1} more` : describeCall(first);
  if (step?.retrying) return `asks the model again (attempt ${step.retrying.attempt})`;
  if (step?.state === "asked") return step.text === "" && step.toolInput === "" ? "thinks" : "answers";
  return "";
};

/** Where the time goes while nothing is heard of a run. */
export const quietOn = (run: RunView): "model" | "tool" | "child" | "rate limit" => {
  const step = run.steps.at(-1);
  if (step?.retrying) return "rate limit";
  const open = step?.calls.find(({ state }) => state !== "settled");
  if (open !== undefined) return open.children.length > 0 ? "child" : "tool";
  return "model";
};
