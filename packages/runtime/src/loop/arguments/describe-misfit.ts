/** What a model reads whose arguments do not fit: what it gave, what is wrong, and a call that would work. */
import type { Json, JsonObject } from "@retinue/protocol";
import { describeIssues } from "@retinue/protocol/describe-issues";
import type { z } from "zod";
import type { AnyTool } from "../tool.ts";
import { toDeclaration } from "../tool.ts";

export const describeMisfit = (tool: AnyTool, given: unknown, error: z.ZodError): string => {
  const example = exampleOf(tool);
  return [
    `The arguments of "${tool.name}" do not fit. ${toGiven(given)}`,
    describeIssues(error),
    ...(example === undefined ? [] : [`A call that fits: ${JSON.stringify(example)}`]),
  ].join("\n");
};

const MOST_KEYS = 20;

const toGiven = (given: unknown): string => {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return "You gave no object.";
  const keys = Object.keys(given);
  return keys.length === 0 ? "You gave none." : `You gave: ${keys.slice(0, MOST_KEYS).join(", ").slice(0, 500)}.`;
};

/** Arguments that the tool takes; undefined where its schema tells too little to make some. */
export const exampleOf = (tool: AnyTool): Json | undefined => {
  const { inputSchema } = toDeclaration(tool);
  for (const most of [0, 1, 2]) {
    const example = toExample("", inputSchema, most);
    if (tool.input.safeParse(example).success) return example;
  }
  return undefined;
};

const TEXTS: Readonly<Record<string, string>> = {
  path: "src/index.ts",
  content: "the whole text of the file",
  command: "ls",
  pattern: "TODO",
  url: "https://example.org/",
  old: "text as it stands in the file",
  new: "text in its place",
  task: "what is to be done",
  text: "what is to be done",
  question: "Which one?",
};

/** What is required, and so many more where nothing is. */
const toExample = (key: string, schema: JsonObject, most: number): Json => {
  const { type, properties = {}, required = [], items, enum: values } = schema;
  if (Array.isArray(values)) return (values as readonly Json[])[0] ?? null;
  switch (typeof type === "string" ? type : "") {
    case "object": {
      const names =
        Array.isArray(required) && required.length > 0 ? required : Object.keys(properties as JsonObject).slice(0, most);
      return Object.fromEntries(
        (names as readonly string[]).map((name) => [
          name,
          toExample(name, ((properties as JsonObject)[name] ?? {}) as JsonObject, most),
        ]),
      );
    }
    case "array":
      return [toExample(key, (items ?? {}) as JsonObject, most)];
    case "number":
    case "integer":
      return 1;
    case "boolean":
      return true;
    default:
      return TEXTS[key] ?? "…";
  }
};
