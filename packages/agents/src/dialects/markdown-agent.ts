/** What the dialects that are Markdown files share: front matter with known fields, a name, a description and a prompt. */
import type { Thinking } from "@retinue/protocol";
import { THINKING_LEVELS } from "@retinue/protocol";
import { toAgentName } from "../agent-name.ts";
import { splitFrontMatter } from "../front-matter.ts";
import type { Severity } from "../problem.ts";
import type { YamlFields } from "../yaml-fields.ts";
import { readYamlFields } from "../yaml-fields.ts";
import type { ReadContext } from "./dialect.ts";
import type { KnownFields } from "./known-fields.ts";
import { nameFields } from "./known-fields.ts";

export type MarkdownAgent = { readonly fields: YamlFields; readonly body: string; readonly bodyLine: number };

export type MarkdownOptions = Omit<KnownFields, "note"> & {
  /** How bad it is for a file not to have front matter. */
  readonly withoutFrontMatter: Severity;
  /** Whether front matter that is not quite YAML is read all the same. */
  readonly lenient: boolean;
};

export const readMarkdownAgent = (text: string, { note }: ReadContext, options: MarkdownOptions): MarkdownAgent | undefined => {
  const split = splitFrontMatter(text);
  if ("message" in split) {
    note(options.withoutFrontMatter, split.line, `${split.message}, so it is no agent`);
    return undefined;
  }
  const fields = readYamlFields({
    text: split.yaml,
    firstLine: split.firstLine,
    note,
    ...(options.lenient ? { leniently: [...options.names, ...Object.keys(options.synonyms ?? {})] } : {}),
  });
  const named = fields && nameFields(fields, { ...options, note });
  return named && { fields: named, body: split.body, bodyLine: split.bodyLine };
};

/** The name that the file gives, made one of ours; the one of its place where it gives none. Undefined where neither can be one. */
export const readName = (fields: YamlFields, field: string, { fallbackName, note }: ReadContext): string | undefined => {
  const written = fields.get(field) ?? "";
  const line = fields.lineOf(field);
  const isGiven = written !== "";
  const raw = isGiven ? written : fallbackName;
  const name = typeof raw === "string" || typeof raw === "number" ? toAgentName(String(raw)) : undefined;
  if (name === undefined)
    note("error", line, `${JSON.stringify(raw)} cannot be made the name of an agent: letters, digits and dashes, 64 at most`);
  else if (isGiven && name !== raw) note("notice", line, `the name ${JSON.stringify(raw)} is "${name}" here`);
  return name;
};

/** The description, or a stand-in for it. */
export const readDescription = (
  fields: YamlFields,
  field: string,
  stand: { readonly in: string; readonly context: ReadContext },
): string => {
  const written = fields.get(field);
  const text = typeof written === "string" || typeof written === "number" ? String(written).trim() : "";
  if (text !== "") return text;
  stand.context.note("warning", fields.lineOf(field), `it has no "${field}", so no agent can tell when to start it`);
  return stand.in;
};

/** A list that may stand as one text with commas. Undefined where it is neither. */
export const toTexts = (value: unknown): readonly string[] | undefined => {
  if (value === undefined || value === null) return [];
  if (typeof value === "string")
    return value
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "");
  if (!Array.isArray(value)) return undefined;
  const items: readonly unknown[] = value;
  return items.every((item) => typeof item === "string" || typeof item === "number") ? items.map(String) : undefined;
};

/** Notes each of these fields that the file has: it is read, and has no effect. */
export const noteUnhonoured = (fields: YamlFields, unhonoured: Readonly<Record<string, string>>, { note }: ReadContext): void => {
  for (const [name, why] of Object.entries(unhonoured))
    if (fields.has(name) && fields.get(name) !== undefined)
      note("notice", fields.lineOf(name), `"${name}" has no effect here: ${why}`);
};

/** A whole number above zero. Undefined where there is none, or, said so, where it is something else. */
export const readCount = (fields: YamlFields, field: string, { note }: ReadContext): number | undefined => {
  const value = fields.get(field);
  if (value === undefined || value === null) return undefined;
  const count = typeof value === "string" && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value;
  if (typeof count === "number" && Number.isSafeInteger(count) && count > 0) return count;
  note("error", fields.lineOf(field), `"${field}" is a whole number above zero, and not ${JSON.stringify(value)}`);
  return undefined;
};

const EFFORTS: Readonly<Record<string, Thinking>> = {
  none: "off",
  minimal: "low",
  xhigh: "max",
  ...Object.fromEntries(THINKING_LEVELS.map((level) => [level, level])),
};

/** How hard its model thinks, in the words of other tools. Undefined where there is none, or, said so, where the word is not known. */
export const readThinking = (value: unknown, line: number, { note }: ReadContext): Thinking | undefined => {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return value;
  const word = typeof value === "string" ? value.trim().toLowerCase() : "";
  if (Object.hasOwn(EFFORTS, word)) return EFFORTS[word];
  note("warning", line, `${JSON.stringify(value)} is not ${THINKING_LEVELS.join(", ")} or a number of tokens; it is ignored`);
  return undefined;
};

/** Undefined where there is none, or, said so, where it is no temperature. */
export const readTemperature = (fields: YamlFields, field: string, { note }: ReadContext): number | undefined => {
  const value = fields.get(field);
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && value >= 0 && value <= 2) return value;
  note("warning", fields.lineOf(field), `"${field}" is a number from 0 to 2; ${JSON.stringify(value)} is ignored`);
  return undefined;
};
