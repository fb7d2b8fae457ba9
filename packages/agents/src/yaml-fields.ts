/**
 * The fields of a YAML mapping with the lines they stand at. What is not YAML but was plainly meant as a field, as other tools accept it,
 * is read as plain text and said so.
 */
import type { Document } from "yaml";
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit } from "yaml";
import type { PlainField } from "./plain-fields.ts";
import { readPlainFields } from "./plain-fields.ts";
import type { Note } from "./problem.ts";

type Step = string | number;

export type FieldEntry = {
  readonly value: unknown;
  readonly line: number;
  /** Of something in the field; the nearest that is known. */
  readonly lineBelow: (path: readonly Step[]) => number;
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
  const { text, firstLine, note, leniently } = source;
  const asWritten = parseEntries(text, firstLine);
  const parsed =
    asWritten.type === "entries" || asWritten.isFlood || !leniently ? asWritten : readLeniently(source, leniently, asWritten);
  if (parsed.type === "entries") return toFields(parsed.entries, firstLine);
  note("error", parsed.line, parsed.message);
  return undefined;
};

export const toFields = (entries: ReadonlyMap<string, FieldEntry>, firstLine: number): YamlFields => ({
  names: [...entries.keys()],
  get: (name) => entries.get(name)?.value,
  has: (name) => entries.has(name),
  lineOf: (name, ...path) => {
    const entry = entries.get(name);
    if (!entry) return firstLine;
    return path.length === 0 ? entry.line : entry.lineBelow(path);
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

type LineAt = (offset: number) => number;

const lineOfStep = (lineAt: LineAt, node: unknown, path: readonly Step[], found: number): number => {
  const [step, ...rest] = path;
  if (step === undefined) return found;
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
    if (!pair) return found;
    return lineOfStep(lineAt, pair.value, rest, lineOfNode(lineAt, pair.key) ?? found);
  }
  if (isSeq(node)) {
    const item = node.items[Number(step)];
    return lineOfStep(lineAt, item, rest, lineOfNode(lineAt, item) ?? found);
  }
  return found;
};

const lineOfNode = (lineAt: LineAt, node: unknown): number | undefined =>
  isNode(node) && node.range ? lineAt(node.range[0]) : undefined;

/** A flood is not tried again in another way. */
type Broken = { readonly type: "broken"; readonly line: number; readonly message: string; readonly isFlood: boolean };

type Parsed = { readonly type: "entries"; readonly entries: ReadonlyMap<string, FieldEntry> } | Broken;

const broken = (line: number, message: string): Broken => ({ type: "broken", line, message, isFlood: false });

/** Enough for people, too little for a flood: parsing takes time with the square of some of these. */
const MOST_CHARACTERS = 64 * 1_024;
const MOST_NESTING = 100;
const MOST_COLONS = 1_000;
const MOST_ALIASES = 50;

const parseEntries = (text: string, firstLine: number): Parsed => {
  const flood = describeFlood(text);
  if (flood !== undefined) return { type: "broken", line: firstLine, message: flood, isFlood: true };
  const plain = readPlainFields(text);
  return plain ? { type: "entries", entries: toEntries(plain, firstLine) } : parseYaml(text, firstLine);
};

const toEntries = (plain: ReadonlyMap<string, PlainField>, firstLine: number): ReadonlyMap<string, FieldEntry> => {
  const entries = new Map<string, FieldEntry>();
  for (const [name, { value, line, below }] of plain)
    entries.set(name, {
      value,
      line: line + firstLine,
      lineBelow: ([step]) => (below.get(String(step)) ?? line) + firstLine,
    });
  return entries;
};

const parseYaml = (text: string, firstLine: number): Parsed => {
  const lines = new LineCounter();
  const lineAt = (offset: number): number => lines.linePos(Math.min(offset, text.length)).line + firstLine - 1;
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "silent", uniqueKeys: false });
  const [error] = document.errors;
  if (error) return broken(lineAt(error.pos[0]), `it is not YAML: ${error.message}`);
  const flaw = findFlaw(document);
  if (flaw) return broken(flaw.offset === undefined ? firstLine : lineAt(flaw.offset), flaw.message);
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
      entries.set(name, { value, line, lineBelow: (path) => lineOfStep(lineAt, node, path, line) });
    } catch {
      return broken(line, `"${name}" cannot be read: its aliases lead nowhere, or to too much`);
    }
  }
  return { type: "entries", entries };
};

const describeFlood = (text: string): string | undefined => {
  if (text.length > MOST_CHARACTERS) return `it has ${text.length} characters of YAML; ${MOST_CHARACTERS} is the most`;
  if (isNestedDeeply(text)) return "it is nested too deeply to be read";
  const hasColons = text.split("\n").some((line) => line.split(":").length > MOST_COLONS);
  return hasColons ? `it has a line with more than ${MOST_COLONS} colons` : undefined;
};

/** By what opens and is not closed again, and by marks that open something each. */
const isNestedDeeply = (text: string): boolean => {
  if (/(?:[-?][ \t]+){100}/.test(text)) return true;
  let depth = 0;
  for (const character of text) {
    if (character === "[" || character === "{") depth++;
    if ((character === "]" || character === "}") && depth > 0) depth--;
    if (depth > MOST_NESTING) return true;
  }
  return false;
};

type Flaw = { readonly offset: number | undefined; readonly message: string };

/** Two fields of one name, wherever they stand, of which nobody knows which was meant; and aliases without end. */
const findFlaw = (document: Document): Flaw | undefined => {
  let flaw: Flaw | undefined;
  let aliases = 0;
  visit(document, {
    Alias: () =>
      ++aliases > MOST_ALIASES ? ((flaw = { offset: undefined, message: "it has too many aliases" }), visit.BREAK) : undefined,
    Map: (_, map) => {
      const names = new Set<string>();
      for (const { key } of map.items) {
        const name = isScalar(key) ? String(key.value) : undefined;
        if (name === undefined || !names.has(name)) {
          if (name !== undefined) names.add(name);
          continue;
        }
        flaw = { offset: isNode(key) ? key.range?.[0] : undefined, message: `"${name}" stands there twice` };
        return visit.BREAK;
      }
      return undefined;
    },
  });
  return flaw;
};

/** Each field by itself; what is wrong with the whole where even that makes no fields. */
const readLeniently = ({ text, firstLine, note }: YamlSource, names: readonly string[], whole: Broken): Parsed => {
  const entries = new Map<string, FieldEntry>();
  const notes: Parameters<Note>[] = [];
  for (const { lines, line } of splitFields(text.split("\n"), firstLine, names)) {
    const read = readField(lines, line, (...args) => void notes.push(args));
    if (!read) return whole;
    for (const [name, entry] of read) {
      if (entries.has(name)) return broken(entry.line, `"${name}" stands there twice`);
      entries.set(name, entry);
    }
  }
  if (entries.size === 0) return whole;
  for (const args of notes) note(...args);
  return { type: "entries", entries };
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
  if (name === undefined || asWritten.isFlood) return undefined;
  // Descriptions with examples in them are seldom YAML, everywhere, and mean what they say.
  const severity = name === "description" ? "notice" : "warning";
  note(severity, asWritten.line, `"${name}": ${asWritten.message}; it was taken as plain text`);
  const value = [first.slice(first.indexOf(":") + 1), ...rest].join("\n").trim();
  return new Map([[name, { value: unquote(value), line, lineBelow: () => line }]]);
};

const toSpaces = (indent: string): string => indent.replaceAll("\t", "  ");

const unquote = (text: string): string => (/^"[^"]*"$|^'[^']*'$/s.test(text) ? text.slice(1, -1) : text);
