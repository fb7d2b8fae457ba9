/** Zod schemas as Markdown: a type in a few signs, the fields of an object as a table, and the named values that they lead to. */
import type { z } from "zod";
import { defOf, originOf } from "../packages/protocol/src/schemas/schema-def.ts";

/** What a schema says of itself. A field's own words hide those of the schema that it was made from. */
const metaOf = (schema: z.core.$ZodType): { readonly title?: string | undefined; readonly description?: string | undefined } =>
  (schema as z.ZodType).meta() ?? {};

export const toCell = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : part.replaceAll("<", "\\<")))
    .join("")
    .replaceAll("|", "\\|");

const isValue = (schema: z.core.$ZodType): boolean => {
  const { type } = defOf(schema);
  return metaOf(schema).title !== undefined && (type === "object" || type === "union");
};

/** The type of a field. Objects and unions that have a name are named by it and linked. */
export const toTypeText = (schema: z.core.$ZodType): string => {
  const def = defOf(schema);
  const { title } = metaOf(schema);
  if (title !== undefined && isValue(schema)) return `[${title}](#${title.toLowerCase()})`;
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- events are made of these kinds; of others we want to hear
  switch (def.type) {
    case "string":
    case "boolean":
      return title ?? def.type;
    case "number":
      return "number";
    case "literal":
      return def.values.map((value) => `\`${JSON.stringify(value)}\``).join(" | ");
    case "enum":
      return Object.values(def.entries)
        .map((value) => `\`${JSON.stringify(value)}\``)
        .join(" | ");
    case "template_literal":
      return `\`${def.parts.map((part) => (typeof part === "object" ? "…" : String(part))).join("")}\``;
    case "array": {
      const element = toTypeText(def.element);
      return element.includes(" | ") ? `(${element})[]` : `${element}[]`;
    }
    case "nullable":
      return `${toTypeText(def.innerType)} | null`;
    case "optional":
      return toTypeText(def.innerType);
    case "union":
      return title === undefined ? def.options.map(toTypeText).join(" | ") : title;
    case "object":
      return `{ ${Object.entries(def.shape)
        .map(([name, field]) => `${name}: ${toTypeText(field)}`)
        .join(", ")} }`;
    case "custom":
    case "lazy":
    case "record":
      return title ?? def.type;
    default:
      throw new Error(`a schema of the type ${def.type} cannot be told in words yet`);
  }
};

export type FieldRow = { readonly name: string; readonly type: string; readonly meaning: string };

/** The fields of an object but `left`, each with its meaning; optional ones have a `?`. */
export const toFieldRows = (schema: z.core.$ZodType, left: ReadonlySet<string> = new Set()): readonly FieldRow[] => {
  const def = defOf(schema);
  if (def.type !== "object") return [];
  return Object.entries(def.shape)
    .filter(([name]) => !left.has(name))
    .map(([name, field]) => ({
      name: defOf(field).type === "optional" ? `${name}?` : name,
      type: toTypeText(field),
      meaning: metaOf(field).description ?? "",
    }));
};

export const toTable = (rows: readonly FieldRow[]): string =>
  rows.length === 0
    ? ""
    : [
        "| field | type | meaning |",
        "| --- | --- | --- |",
        ...rows.map(({ name, type, meaning }) => `| \`${name}\` | ${toCell(type)} | ${toCell(meaning)} |`),
        "",
      ].join("\n");

/** Every named value that these schemas lead to, by name. */
export const collectValues = (schemas: Iterable<z.core.$ZodType>): ReadonlyMap<string, z.core.$ZodType> => {
  const found = new Map<string, z.core.$ZodType>();
  const walk = (schema: z.core.$ZodType): void => {
    const { title } = metaOf(schema);
    if (title !== undefined && isValue(schema)) {
      if (found.has(title)) return;
      found.set(title, originOf(schema));
    }
    const def = defOf(schema);
    if (def.type === "array") walk(def.element);
    else if (def.type === "nullable" || def.type === "optional") walk(def.innerType);
    else if (def.type === "union") for (const option of def.options) walk(option);
    else if (def.type === "object") for (const field of Object.values(def.shape)) walk(field);
  };
  for (const schema of schemas) {
    const def = defOf(schema);
    if (def.type === "object") for (const field of Object.values(def.shape)) walk(field);
  }
  return new Map([...found].toSorted(([one], [other]) => one.localeCompare(other, "en")));
};

/** A named value with its fields; of a union what it may be. */
export const toValueSection = (name: string, schema: z.core.$ZodType): string => {
  const def = defOf(schema);
  const { description = "" } = metaOf(schema);
  const lead = description === "" ? "" : `${toCell(description)}\n\n`;
  const body = def.type === "union" ? `One of ${def.options.map(toTypeText).join(", ")}.\n` : toTable(toFieldRows(schema));
  return `### ${name}\n\n${lead}${body}`;
};
