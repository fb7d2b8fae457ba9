/**
 * Reads front matter that is as plain as most of it is, line by line: fields with plain or quoted words, short lists, and maps of one level. It gives just what the
 * YAML parser would, at a fraction of the time; for anything else it gives nothing, and the parser is asked.
 */

/** The value of a field, and the line it begins at, counted from 0; and the same for what is in it, by its name or place. */
export type PlainField = { readonly value: unknown; readonly line: number; readonly below: ReadonlyMap<string, number> };

const NOTHING_BELOW: ReadonlyMap<string, number> = new Map();

const FIELD = /^([A-Za-z][\w-]*):(?: +(.*))?$/;
const BELOW = /^ {2}([A-Za-z][\w-]*): +(.*)$/;
const ITEM = /^ *- +(.*)$/;
/** Characters that mean something to a parser, or may not be there. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\uFEFF]/u;
/** What begins with a letter is a plain scalar, but for what ends it or would be a comment. */
const PLAIN = /^[A-Za-z]/;
const ENDS_PLAIN = /:(?: |$)| #/;
const QUOTED = /^(?:"([^"\\]*)"|'([^']*)')$/;
/** Words that are no text; those that are written otherwise are left to the parser. */
const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);
const NO_TEXT = /^(?:true|false|null)$/i;

/** Undefined where it is not that plain. */
export const readPlainFields = (text: string): ReadonlyMap<string, PlainField> | undefined => {
  const fields = new Map<string, PlainField>();
  const lines = text.split("\n");
  for (let at = 0; at < lines.length;) {
    const line = at;
    const [, name, written] = FIELD.exec(lines[at] ?? "") ?? [];
    if (name === undefined || fields.has(name)) return undefined;
    at += 1;
    if (written !== undefined && !/^ *$/.test(written)) {
      const scalar = readScalar(written);
      if (!scalar) return undefined;
      fields.set(name, { value: scalar.value, line, below: NOTHING_BELOW });
      continue;
    }
    const from = at;
    while (at < lines.length && !FIELD.test(lines[at] ?? "")) at += 1;
    const value = readBelow(lines.slice(from, at));
    if (value === undefined) return undefined;
    const below = new Map(Object.keys(value).map((key, index) => [key, from + index]));
    fields.set(name, { value, line, below });
  }
  return fields;
};

const readScalar = (written: string): { readonly value: unknown } | undefined => {
  const text = written.replace(/ +$/, "");
  if (UNPRINTABLE.test(text)) return undefined;
  const [, double, single] = QUOTED.exec(text) ?? [];
  const quoted = double ?? single;
  if (quoted !== undefined) return { value: quoted };
  const constant = CONSTANTS.get(text);
  if (constant !== undefined) return { value: constant };
  return PLAIN.test(text) && !ENDS_PLAIN.test(text) && !NO_TEXT.test(text) ? { value: text } : undefined;
};

/** A list or a map of scalars; undefined for nothing, too. */
const readBelow = (lines: readonly string[]): readonly unknown[] | Record<string, unknown> | undefined => {
  if (lines.length === 0) return undefined;
  return ITEM.test(lines[0] ?? "") ? readList(lines) : readMap(lines);
};

const readList = (lines: readonly string[]): readonly unknown[] | undefined => {
  const values: unknown[] = [];
  const indent = indentOf(lines[0]);
  for (const line of lines) {
    const scalar = readScalar(ITEM.exec(line)?.[1] ?? "");
    if (!scalar || indentOf(line) !== indent) return undefined;
    values.push(scalar.value);
  }
  return values;
};

const indentOf = (line = ""): number => line.search(/[^ ]|$/);

const readMap = (lines: readonly string[]): Record<string, unknown> | undefined => {
  const values = new Map<string, unknown>();
  for (const line of lines) {
    const [, name, written = ""] = BELOW.exec(line) ?? [];
    const scalar = readScalar(written);
    if (name === undefined || !scalar || values.has(name)) return undefined;
    values.set(name, scalar.value);
  }
  return Object.fromEntries(values);
};
