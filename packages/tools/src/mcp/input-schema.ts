/**
 * The schema of a server's tool, made fit to be shown to a model: of bounded size and depth, texts escaped. A schema that hides characters in
 * names or values is refused, because escaping those would change what it accepts.
 */
import type { Json, JsonObject } from "@retinue/protocol";
import { neutralise } from "@retinue/runtime";
import { hasHidden, toShownText } from "./escape-hidden.ts";

export type FitSchema = { readonly schema: JsonObject } | { readonly problem: string };

const MOST_CHARS = 64 * 1024;
const MOST_DEPTH = 32;
const MOST_TEXT_CHARS = 2000;
/** Words for a reader; they decide nothing. */
const TEXTS: ReadonlySet<string> = new Set(["description", "title", "markdownDescription"]);
/** Below these stand names of the schema's own, not keywords. */
const NAMED: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

export const toInputSchema = (given: JsonObject): FitSchema => {
  const problem = problemOf(given, 0);
  if (problem !== undefined) return { problem };
  const chars = JSON.stringify(given).length;
  if (chars > MOST_CHARS) return { problem: `its schema has ${chars} characters; ${MOST_CHARS} is the most` };
  return { schema: { ...(withShownTexts(given, false) as JsonObject), type: "object" } };
};

const problemOf = (value: Json, depth: number, isText = false): string | undefined => {
  if (depth > MOST_DEPTH) return `its schema is nested more than ${MOST_DEPTH} deep`;
  if (typeof value === "string") return isText ? undefined : problemOfName(value);
  if (value === null || typeof value !== "object") return undefined;
  if (Array.isArray(value))
    return firstProblem(
      value.map((child: Json) => [child, false]),
      depth,
    );
  for (const key of Object.keys(value)) {
    const problem = problemOfName(key);
    if (problem !== undefined) return problem;
  }
  return firstProblem(
    Object.entries(value as JsonObject).map(([key, child]) => [child, TEXTS.has(key)]),
    depth,
  );
};

/** What is not a text for a reader cannot be changed. */
const problemOfName = (name: string): string | undefined => {
  if (hasHidden(name)) return "its schema hides characters in a name or a value";
  return neutralise(name) === name ? undefined : "its schema has control tokens of chat templates in a name or a value";
};

const firstProblem = (children: readonly (readonly [Json, boolean])[], depth: number): string | undefined => {
  for (const [child, isText] of children) {
    const problem = problemOf(child, depth + 1, isText);
    if (problem !== undefined) return problem;
  }
  return undefined;
};

const withShownTexts = (value: Json, isNames: boolean): Json => {
  if (Array.isArray(value)) return value.map((child: Json) => withShownTexts(child, false));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject).flatMap(([key, child]): [string, Json][] => {
      if (!isNames && key === "$comment") return [];
      if (!isNames && TEXTS.has(key) && typeof child === "string") return [[key, toShownText(child, MOST_TEXT_CHARS)]];
      return [[key, withShownTexts(child, !isNames && NAMED.has(key))]];
    }),
  );
};
