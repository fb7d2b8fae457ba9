/**
 * The one language of path globs: `*`, `?`, `[a-z]`, `[^a-z]`, `{a,b}`, `**` as a whole name, a leading `!`, and `\` before a character that stands for itself. Paths
 * are relative, with forward slashes, and hidden files are like all others. Matching goes back over one star at a time, so that no glob takes long.
 */
export type PathMatcher = (file: string) => boolean;

export type GlobOptions = {
  /** Upper and lower case are the same, as on some disks they are. */
  readonly anyCase?: boolean;
  /** `?` and `[…]` stand for a whole character also where it takes two units of UTF-16. */
  readonly wholeCharacters?: boolean;
};

/** For how many globs without braces one may stand. */
export const MAX_ALTERNATIVES = 1000;
/** In how many ways the brackets of one name may be meant. */
const MAX_READINGS = 64;

/** A character of a glob, with the backslash before it. */
type Sign = string;
type Token = { readonly type: "character"; readonly fits: (character: string) => boolean } | { readonly type: "star" };
type NameTest = (name: string) => boolean;
type Segment = { readonly type: "globstar" } | { readonly type: "name"; readonly fits: NameTest };
/** How characters are told apart and compared. */
type Reading = { readonly split: (text: string) => readonly string[]; readonly fold: (text: string) => string };

/** Undefined for a glob that stands for too much to be tried. */
export const readGlob = (
  glob: string,
  { anyCase = false, wholeCharacters = false }: GlobOptions = {},
): PathMatcher | undefined => {
  const reading: Reading = {
    split: wholeCharacters ? (text) => Array.from(text) : (text) => text.split(""),
    fold: anyCase ? foldCase : (text) => text,
  };
  const isNegated = glob.startsWith("!");
  const tests: PathMatcher[] = [];
  for (const signs of expandBraces(toSigns(isNegated ? glob.slice(1) : glob)) ?? [undefined]) {
    const segments = signs && toSegments(signs, reading);
    if (!segments) return undefined;
    tests.push(toTest(segments));
  }
  const [only] = tests;
  const matches: PathMatcher = only && tests.length === 1 ? only : (file) => tests.some((test) => test(file));
  return (file) => file !== "" && matches(reading.fold(file)) !== isNegated;
};

/** The globs without braces for which a glob stands, as they are written; undefined where they are too many. */
export const toAlternatives = (glob: string): readonly string[] | undefined =>
  expandBraces(toSigns(glob))?.map((signs) => signs.join(""));

const toSigns = (glob: string): readonly Sign[] => glob.match(/\\.|./gsu) ?? [];

/** `a{b,c}d` → `abd`, `acd`; nested braces too. A brace that is never closed stands for itself. */
const expandBraces = (signs: readonly Sign[]): readonly (readonly Sign[])[] | undefined => {
  const brace = findBrace(signs);
  if (!brace) return [signs];
  const expanded: (readonly Sign[])[] = [];
  for (const choice of brace.choices) {
    const rest = expandBraces([...brace.before, ...choice, ...brace.after]);
    if (!rest || expanded.length + rest.length > MAX_ALTERNATIVES) return undefined;
    expanded.push(...rest);
  }
  return expanded;
};

type Brace = {
  readonly before: readonly Sign[];
  readonly choices: readonly (readonly Sign[])[];
  readonly after: readonly Sign[];
};

const findBrace = (signs: readonly Sign[]): Brace | undefined => {
  const start = signs.indexOf("{");
  if (start < 0) return undefined;
  const choices: (readonly Sign[])[] = [];
  let depth = 0;
  let from = start + 1;
  for (const [at, sign] of signs.entries()) {
    if (at < start) continue;
    if (sign === "{") depth += 1;
    else if (sign === "," && depth === 1) {
      choices.push(signs.slice(from, at));
      from = at + 1;
    } else if (sign === "}" && --depth === 0) {
      choices.push(signs.slice(from, at));
      return { before: signs.slice(0, start), choices, after: signs.slice(at + 1) };
    }
  }
  return undefined;
};

const toSegments = (signs: readonly Sign[], reading: Reading): readonly Segment[] | undefined => {
  const segments: Segment[] = [];
  for (let from = 0; from <= signs.length;) {
    const slash = signs.indexOf("/", from);
    const name = signs.slice(from, slash < 0 ? signs.length : slash);
    from += name.length + 1;
    if (name.length === 2 && name.every((sign) => sign === "*")) segments.push({ type: "globstar" });
    else {
      const fits = toNameTest(name, reading);
      if (!fits) return undefined;
      segments.push({ type: "name", fits });
    }
  }
  return segments;
};

/** Most paths are told by one name, without taking them apart any further. */
const toTest = (segments: readonly Segment[]): PathMatcher => {
  const [first, second, third] = segments;
  const last = segments.at(-1);
  if (last?.type === "name") {
    const fitsLast: PathMatcher = (file) => last.fits(file.slice(file.lastIndexOf("/") + 1));
    if (segments.length === 1) return (file) => !file.includes("/") && last.fits(file);
    if (segments.length === 2 && first?.type === "globstar") return fitsLast;
    return (file) => fitsLast(file) && matchSegments(segments, namesOf(file));
  }
  if (segments.length === 3 && first?.type === "globstar" && second?.type === "name" && third?.type === "globstar")
    return (file) => namesOf(file).some(second.fits);
  return (file) => matchSegments(segments, namesOf(file));
};

let latest: { readonly file: string; readonly names: readonly string[] } = { file: "", names: [] };

/** One path is tried on many globs. */
const namesOf = (file: string): readonly string[] => {
  if (latest.file !== file) latest = { file, names: file.split("/") };
  return latest.names;
};

const toNameTest = (signs: readonly Sign[], reading: Reading): NameTest | undefined => {
  const { fold, split } = reading;
  if (!signs.some((sign) => sign === "*" || sign === "?" || sign === "[")) {
    const name = fold(toText(signs));
    return (given) => given === name;
  }
  const bare = signs.filter((sign) => sign !== "*");
  if (bare.length < signs.length && !bare.includes("?") && !bare.includes("[")) {
    const text = fold(toText(bare));
    const [first, last] = [signs[0], signs.at(-1)];
    const stars = signs.slice(signs.indexOf("*"), signs.lastIndexOf("*") + 1);
    if (stars.every((sign) => sign === "*")) {
      if (first === "*") return (given) => given.endsWith(text);
      if (last === "*") return (given) => given.startsWith(text);
    }
  }
  const readings = toTokens(signs, reading);
  return (
    readings &&
    ((given) => {
      const characters = split(given);
      return readings.some((tokens) => matchTokens(tokens, characters));
    })
  );
};

const toText = (signs: readonly Sign[]): string => signs.map(toCharacter).join("");

const toCharacter = (sign: Sign): string => (sign.length > 1 && sign.startsWith("\\") ? sign.slice(1) : sign);

/** A list for each way in which the name may be meant: `[id]` is `i` or `d`, or a name with brackets, as some frameworks have them. */
const toTokens = (signs: readonly Sign[], reading: Reading): readonly (readonly Token[])[] | undefined => {
  let readings: (readonly Token[])[] = [[]];
  const push = (...tokens: readonly Token[]): void => {
    readings = readings.map((before) => [...before, ...tokens]);
  };
  for (let at = 0; at < signs.length; at += 1) {
    const sign = signs[at] ?? "";
    const close = sign === "[" ? signs.indexOf("]", at + 2) : -1;
    if (sign === "*") {
      if (signs[at - 1] !== "*") push({ type: "star" });
    } else if (sign === "?") push({ type: "character", fits: () => true });
    else if (close > 0) {
      const inside = signs.slice(at + 1, close);
      const asWritten = toLiterals(signs.slice(at, close + 1), reading);
      const asClass = toClass(inside.map(toCharacter), reading);
      readings = readings.flatMap((before) => [
        [...before, asClass],
        ...(inside.every((each) => /^[\p{L}\p{N}_]$/u.test(each)) ? [[...before, ...asWritten]] : []),
      ]);
      if (readings.length > MAX_READINGS) return undefined;
      at = close;
    } else push(...toLiterals([sign], reading));
  }
  return readings;
};

const toLiterals = (signs: readonly Sign[], { fold, split }: Reading): readonly Token[] =>
  split(fold(toText(signs))).map((character) => ({ type: "character", fits: (given) => given === character }));

const toClass = (inside: readonly string[], { fold }: Reading): Token => {
  const isNegated = inside[0] === "!" || inside[0] === "^";
  const ranges: (readonly [string, string])[] = [];
  for (let at = isNegated ? 1 : 0; at < inside.length; at += 1) {
    const from = inside[at] ?? "";
    const isRange = inside[at + 1] === "-" && at + 2 < inside.length;
    ranges.push([from, isRange ? (inside[at + 2] ?? from) : from]);
    if (isRange) at += 2;
  }
  const isWithin = (character: string): boolean => ranges.some(([from, to]) => from <= character && character <= to);
  const isAnyCase = fold("a") !== "a";
  return {
    type: "character",
    fits: (given) => (isWithin(given) || (isAnyCase && /[A-Z]/.test(given) && isWithin(given.toLowerCase()))) !== isNegated,
  };
};

/** As regular expressions compare without case: character by character, and never a letter of ASCII with another. */
const foldCase = (text: string): string =>
  // eslint-disable-next-line no-control-regex
  /^[\0-\x7f]*$/.test(text) ? text.toUpperCase() : text.split("").map(foldUnit).join("");

const foldUnit = (unit: string): string => {
  const upper = unit.toUpperCase();
  return upper.length !== 1 || (unit > "\x7f" && upper <= "\x7f") ? unit : upper;
};

const matchSegments = (segments: readonly Segment[], names: readonly string[]): boolean =>
  matchStars({
    pattern: segments,
    given: names,
    isStar: (segment) => segment.type === "globstar",
    fits: (segment, name) => segment.type === "name" && segment.fits(name),
  });

const matchTokens = (tokens: readonly Token[], characters: readonly string[]): boolean =>
  matchStars({
    pattern: tokens,
    given: characters,
    isStar: (token) => token.type === "star",
    fits: (token, character) => token.type === "character" && token.fits(character),
  });

type Matching<Wanted> = {
  readonly pattern: readonly Wanted[];
  readonly given: readonly string[];
  readonly isStar: (wanted: Wanted) => boolean;
  readonly fits: (wanted: Wanted, given: string) => boolean;
};

/** Greedy, going back to the latest star only: the product of both lengths at worst. */
const matchStars = <Wanted>({ pattern, given, isStar, fits }: Matching<Wanted>): boolean => {
  let at = 0;
  let wanted = 0;
  let star = -1;
  let starAt = 0;
  while (at < given.length) {
    const next = pattern[wanted];
    if (next !== undefined && isStar(next)) {
      star = wanted;
      starAt = at;
      wanted += 1;
    } else if (next !== undefined && fits(next, given[at] ?? "")) {
      wanted += 1;
      at += 1;
    } else if (star >= 0) {
      starAt += 1;
      at = starAt;
      wanted = star + 1;
    } else return false;
  }
  for (let left = wanted; left < pattern.length; left += 1) {
    const next = pattern[left];
    if (next === undefined || !isStar(next)) return false;
  }
  return true;
};
