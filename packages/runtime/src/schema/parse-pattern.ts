/** Reads a regular expression of JavaScript, without flags, as far as it is regular: what looks around or back is refused. */
import { RetinueError } from "@retinue/protocol";

/** Code units from one to another. */
export type Range = readonly [number, number];

export type PatternNode =
  | { readonly type: "set"; readonly ranges: readonly Range[] }
  | { readonly type: "sequence" | "either"; readonly nodes: readonly PatternNode[] }
  | { readonly type: "repeat"; readonly node: PatternNode; readonly min: number; readonly max: number };

export type ParsedPattern = {
  readonly node: PatternNode;
  /** Whether it asks for edges of words, which are not among the nodes. */
  readonly hasWordEdges: boolean;
};

const LAST = 0xff_ff;
/** Stand for the beginning and the end of a text, as if they were characters. */
export const START: Range = [-1, -1];
export const END: Range = [LAST + 1, LAST + 1];
export const ANY: readonly Range[] = [[0, LAST]];

const code = (text: string): number => text.charCodeAt(0);
const one = (unit: number): Range => [unit, unit];

const DIGITS: readonly Range[] = [[code("0"), code("9")]];
const WORD: readonly Range[] = [...DIGITS, [code("A"), code("Z")], one(code("_")), [code("a"), code("z")]];
const SPACE: readonly Range[] = [
  [9, 13],
  [32, 32],
  [0xa0, 0xa0],
  [0x16_80, 0x16_80],
  [0x20_00, 0x20_0a],
  [0x20_28, 0x20_29],
  [0x20_2f, 0x20_2f],
  [0x20_5f, 0x20_5f],
  [0x30_00, 0x30_00],
  [0xfe_ff, 0xfe_ff],
];

const invert = (ranges: readonly Range[]): readonly Range[] => {
  const inverted: Range[] = [];
  let from = 0;
  for (const [low, high] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (low > from) inverted.push([from, low - 1]);
    from = Math.max(from, high + 1);
  }
  if (from <= LAST) inverted.push([from, LAST]);
  return inverted;
};

const LINE_ENDS: readonly Range[] = [one(10), one(13), [0x20_28, 0x20_29]];
const CLASSES: Readonly<Record<string, readonly Range[]>> = {
  d: DIGITS,
  D: invert(DIGITS),
  w: WORD,
  W: invert(WORD),
  s: SPACE,
  S: invert(SPACE),
};
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, "0": 0 };

const NOTHING: PatternNode = { type: "sequence", nodes: [] };
const set = (ranges: readonly Range[]): PatternNode => ({ type: "set", ranges });

const refuse = (what: string): RetinueError =>
  new RetinueError("pattern_slow", `it has ${what}, for which we cannot show that a search ends soon`);

/** The pattern must be one that `RegExp` takes. */
export const parsePattern = (pattern: string): ParsedPattern => {
  let at = 0;
  let hasWordEdges = false;

  const take = (expected: RegExp): RegExpExecArray | null => {
    const sticky = new RegExp(expected.source, "y");
    sticky.lastIndex = at;
    const found = sticky.exec(pattern);
    if (found) at += found[0].length;
    return found;
  };

  const readEither = (): PatternNode => {
    const nodes = [readSequence()];
    while (take(/\|/)) nodes.push(readSequence());
    return nodes.length === 1 ? (nodes[0] ?? NOTHING) : { type: "either", nodes };
  };

  const readSequence = (): PatternNode => {
    const nodes: PatternNode[] = [];
    while (at < pattern.length && pattern[at] !== "|" && pattern[at] !== ")") nodes.push(readRepeated());
    return { type: "sequence", nodes };
  };

  const readRepeated = (): PatternNode => {
    const node = readAtom();
    const [found, low, comma, high] = take(/(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/) ?? [];
    switch (found?.[0]) {
      case undefined:
        return node;
      case "*":
        return { type: "repeat", node, min: 0, max: Infinity };
      case "+":
        return { type: "repeat", node, min: 1, max: Infinity };
      case "?":
        return { type: "repeat", node, min: 0, max: 1 };
      default: {
        const min = Number(low);
        return { type: "repeat", node, min, max: comma === undefined ? min : high ? Number(high) : Infinity };
      }
    }
  };

  const readAtom = (): PatternNode => {
    if (take(/\(\?<?[=!]/)) throw refuse("a group that looks ahead or behind");
    if (take(/\(\?[a-z-]+:/)) throw refuse("flags of its own");
    if (take(/\((?:\?:|\?<[^>]*>)?/)) {
      const node = readEither();
      take(/\)/);
      return node;
    }
    if (take(/\^/)) return set([START]);
    if (take(/\$/)) return set([END]);
    if (take(/\\[bB]/)) {
      hasWordEdges = true;
      return NOTHING;
    }
    if (take(/\\(?:[1-9]|k)/)) throw refuse("a reference to an earlier group");
    if (take(/\./)) return set(invert(LINE_ENDS));
    if (take(/\[/)) return readSet();
    return set(readUnit());
  };

  const readSet = (): PatternNode => {
    const isInverted = take(/\^/) !== null;
    const ranges: Range[] = [];
    while (!take(/\]/)) {
      const low = take(/\\b/) ? [one(8)] : readUnit();
      const high = take(/-(?!\])/) ? readUnit() : null;
      const [from, to] = [low[0], high?.[0]];
      // Between classes a dash is a dash.
      if (high && isOne(low) && isOne(high) && from && to) ranges.push([from[0], to[1]]);
      else ranges.push(...low, ...(high ? [one(code("-")), ...high] : []));
    }
    return set(isInverted ? invert(ranges) : ranges);
  };

  const readUnit = (): readonly Range[] => {
    const [, klass] = take(/\\([dDwWsS])/) ?? [];
    if (klass !== undefined) return CLASSES[klass] ?? [];
    const [, hex2, hex4] = take(/\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4}))/) ?? [];
    if (hex2 ?? hex4) return [one(Number.parseInt(hex2 ?? hex4 ?? "", 16))];
    const [, control] = take(/\\c([A-Za-z])/) ?? [];
    if (control !== undefined) return [one(code(control) % 32)];
    if (take(/\\0\d/)) throw refuse("an octal escape");
    const [, named] = take(/\\([tnvfr0])/) ?? [];
    if (named !== undefined) return [one(CONTROLS[named] ?? 0)];
    take(/\\(?=[^])/);
    const unit = code(pattern[at] ?? "");
    at += 1;
    return [one(unit)];
  };

  const node = readEither();
  return { node, hasWordEdges };
};

const isOne = (ranges: readonly Range[]): boolean => ranges.length === 1 && ranges[0]?.[0] === ranges[0]?.[1];
