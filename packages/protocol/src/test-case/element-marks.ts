/**
 * By what else than its role and name an element of a page is known: attributes that its authors keep stable, and its place among its like. Acts of a browser tell it in
 * one line, by which an element is found again when a passed case is done again and its name has changed.
 */

export type ElementPlace = {
  /** From 1, among elements of its role in the container. */
  readonly index: number;
  readonly count: number;
  /** Such as `region "New product"`; null for the page. */
  readonly container: string | null;
};

/** An element as it was when a case passed. */
export type KnownElement = {
  readonly role: string;
  readonly name: string;
  /** In the order in which they are looked for. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly place: ElementPlace | null;
};

/** The order in which attributes are trusted. */
export const STABLE_ATTRIBUTES = ["data-testid", "data-test", "data-cy", "id", "name", "href"] as const;

/** One line: `Marks: button "Save"; id="save"; 2 of 3 in form "Note"`. */
export const formatMarks = ({ role, name, attributes, place }: KnownElement): string =>
  `Marks: ${[
    `${role} ${JSON.stringify(name)}`,
    ...Object.entries(attributes).map(([attribute, value]) => `${attribute}=${JSON.stringify(value)}`),
    ...(place === null ? [] : [`${place.index} of ${place.count}${place.container === null ? "" : ` in ${place.container}`}`]),
  ].join("; ")}`;

const LINE = /^Marks: ([a-z]+) ("(?:[^"\\]|\\.)*")(.*)$/m;
const ATTRIBUTE = /^; ([a-z-]+)=("(?:[^"\\]|\\.)*")/;
const PLACE = /^; (\d+) of (\d+)(?: in (.+))?$/;

/** What the output of an act tells of its element; null where it tells nothing. */
export const parseMarks = (output: string): KnownElement | null => {
  const [, role, quoted, told = ""] = LINE.exec(output) ?? [];
  const name = quoted === undefined ? null : unquote(quoted);
  if (role === undefined || name === null) return null;
  const attributes: Record<string, string> = {};
  let rest = told;
  for (let found = ATTRIBUTE.exec(rest); found; found = ATTRIBUTE.exec(rest)) {
    const [whole, attribute = "", value = ""] = found;
    attributes[attribute] = unquote(value) ?? "";
    rest = rest.slice(whole.length);
  }
  const [, index, count, container] = PLACE.exec(rest) ?? [];
  const place = index === undefined ? null : { index: Number(index), count: Number(count), container: container ?? null };
  return { role, name, attributes, place };
};

/** Null where it is no text of JSON, as after a secret in it was taken out. */
const unquote = (quoted: string): string | null => {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return null;
  }
};
