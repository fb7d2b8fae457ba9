/**
 * The fields of a YAML mapping with the lines they stand at. What is not YAML but was plainly meant as a field, as other tools accept it,
 * is read as plain text and said so.
 */
import type { Document } from "yaml";
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import type { Note } from "./problem.ts";

type Step = string | number;

export type FieldEntry = {
  readonly value: unknown;
  readonly line: number;
  readonly node: unknown;
  readonly lineAt: (offset: number) => number;
};

export type YamlFields = {
  readonly names: readonly string[];
  readonly get: (name: string) => unknown;
  readonly has: (name: string) => boolean;
  /** Of a field or of something in it; the nearest that is known. */
  readonly lineOf: (name: string, ...path: readonly Step[]) => number;
};

export type YamlSource = {
  readonly text: string;
  /** The line of the file that the text begins at. */
  readonly firstLine: number;
  readonly note: Note;
  /** Where given, what is not YAML is read field by field, and these names begin one. */
  readonly leniently?: readonly string[];
};

/** Undefined where it cannot be read; why is noted. */
export const readYamlFields = (source: YamlSource): YamlFields | undefined => {
  const parsed = parseEntries(source.text, source.firstLine);
  if (parsed.type === "entries") return toFields(parsed.entries, source.firstLine);
  const lenient = source.leniently && readLeniently(source, source.leniently);
  if (lenient) return toFields(lenient, source.firstLine);
  source.note("error", parsed.line, parsed.message);
  return undefined;
};

export const toFields = (entries: ReadonlyMap<string, FieldEntry>, firstLine: number): YamlFields => ({
  names: [...entries.keys()],
  get: (name) => entries.get(name)?.value,
  has: (name) => entries.has(name),
  lineOf: (name, ...path) => {
    const entry = entries.get(name);
    return entry ? lineOfStep(entry, entry.node, path, entry.line) : firstLine;
  },
});

/** The same fields under other names. */
export const renameFields = (fields: YamlFields, toName: (name: string) => string): YamlFields => {
  const originals = new Map(fields.names.map((name) => [toName(name), name]));
  return {
    names: [...originals.keys()],
    get: (name) => fields.get(originals.get(name) ?? name),
    has: (name) => originals.has(name),
    lineOf: (name, ...path) => fields.lineOf(originals.get(name) ?? name, ...path),
  };
};

const lineOfStep = (entry: FieldEntry, node: unknown, path: readonly Step[], found: number): number => {
  const [step, ...rest] = path;
  if (step === undefined) return found;
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
    if (!pair) return found;
    return lineOfStep(entry, pair.value, rest, lineOfNode(entry, pair.key) ?? found);
  }
  if (isSeq(node)) {
    const item = node.items[Number(step)];
    return lineOfStep(entry, item, rest, lineOfNode(entry, item) ?? found);
  }
  return found;
};

const lineOfNode = (entry: FieldEntry, node: unknown): number | undefined =>
  isNode(node) && node.range ? entry.lineAt(node.range[0]) : undefined;

type Parsed =
  | { readonly type: "entries"; readonly entries: ReadonlyMap<string, FieldEntry> }
  | { readonly type: "broken"; readonly line: number; readonly message: string };

const broken = (line: number, message: string): Parsed => ({ type: "broken", line, message });

/** How often an anchor may be used, all together: enough for people, too little for a bomb. */
const MOST_ALIASES = 50;

const parseEntries = (text: string, firstLine: number): Parsed => {
  const lines = new LineCounter();
  const lineAt = (offset: number): number => lines.linePos(Math.min(offset, text.length)).line + firstLine - 1;
  let document: Document;
  try {
    document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "silent" });
  } catch {
    return broken(firstLine, "it is nested too deeply to be read");
  }
  const [error] = document.errors;
  if (error) return broken(lineAt(error.pos[0]), `it is not YAML: ${error.message}`);
  const root = document.contents;
  const entries = new Map<string, FieldEntry>();
  if (root === null || (isScalar(root) && root.value === null)) return { type: "entries", entries };
  if (!isMap(root)) return broken(firstLine, "it is not a list of fields with their values");
  for (const { key, value: node } of root.items) {
    const line = isNode(key) && key.range ? lineAt(key.range[0]) : firstLine;
    if (!isScalar(key)) return broken(line, "the name of a field is a plain word");
    const name = String(key.value);
    try {
      const value: unknown = isNode(node) ? node.toJS(document, { maxAliasCount: MOST_ALIASES }) : node;
      entries.set(name, { value, line, node, lineAt });
    } catch {
      return broken(line, `"${name}" cannot be read: its aliases or its nesting are too many`);
    }
  }
  return { type: "entries", entries };
};

/** Each field by itself; undefined where even that makes no fields. */
const readLeniently = (
  { text, firstLine, note }: YamlSource,
  names: readonly string[],
): ReadonlyMap<string, FieldEntry> | undefined => {
  const entries = new Map<string, FieldEntry>();
  for (const { lines, line } of splitFields(text.split("\n"), firstLine, names)) {
    const read = readField(lines, line, note);
    if (!read) return undefined;
    for (const [name, entry] of read) {
      // Of two fields of one name nobody knows which was meant, and one may restrict what the other allows.
      if (entries.has(name)) return undefined;
      entries.set(name, entry);
    }
  }
  return entries.size === 0 ? undefined : entries;
};

type Segment = { readonly lines: string[]; readonly line: number };

const FIELD = /^([A-Za-z_][\w.-]*)[ \t]*:(?=[ \t]|$)/;

const splitFields = (lines: readonly string[], firstLine: number, names: readonly string[]): readonly Segment[] => {
  const known = new Set(names.map(looseName));
  const segments: Segment[] = [];
  for (const [index, text] of lines.entries()) {
    const name = FIELD.exec(text)?.[1];
    const open = segments.at(-1);
    if (!open || (name !== undefined && known.has(looseName(name)))) segments.push({ lines: [text], line: firstLine + index });
    else open.lines.push(text);
  }
  return segments.filter((segment) => segment.lines.some((text) => text.trim() !== "" && !text.trim().startsWith("#")));
};

/** What is left of a field's name without case, dashes and underscores. */
export const looseName = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, "");

const readField = (lines: readonly string[], line: number, note: Note): ReadonlyMap<string, FieldEntry> | undefined => {
  const asWritten = parseEntries(lines.join("\n"), line);
  if (asWritten.type === "entries") return asWritten.entries;
  const withSpaces = parseEntries(lines.map((text) => text.replace(/^[\t ]+/, toSpaces)).join("\n"), line);
  if (withSpaces.type === "entries") {
    note("warning", asWritten.line, "it is indented by tabs, which YAML does not allow; they were taken as two spaces each");
    return withSpaces.entries;
  }
  const [first = "", ...rest] = lines;
  const name = FIELD.exec(first)?.[1];
  if (name === undefined) return undefined;
  note("warning", asWritten.line, `"${name}": ${asWritten.message}; it was taken as plain text`);
  const value = [first.slice(first.indexOf(":") + 1), ...rest].join("\n").trim();
  return new Map([[name, { value: unquote(value), line, node: undefined, lineAt: () => line }]]);
};

const toSpaces = (indent: string): string => indent.replaceAll("\t", "  ");

const unquote = (text: string): string => (/^"[^"]*"$|^'[^']*'$/s.test(text) ? text.slice(1, -1) : text);
