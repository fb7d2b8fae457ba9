import picomatch from "picomatch";
import { describe, expect, test } from "vitest";
import { createPathMatcher, isPathGlob } from "./path-globs.ts";

/** Numbers by chance, the same for the same seed. */
const createPick = (seed: number) => {
  let state = seed;
  return <T>(all: readonly T[]): T => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    // The index is below the length.
    return all[(state >>> 8) % all.length] as T;
  };
};

const PLAIN = ["a", "b", "ab", ".", ".x", "*", "*.ts", "**/", "/**", "/**/", "?", "/", "/", "{a,b}", "{*.ts,b}", "{a/b,c}"];
const TRICKY = ["{a,*}", "{**,b}", "{a/b,}", "{a,b/**}", "{**/a,b}", "{a,{b,*}}", "[ab]", "[a]", "[a-c]", "[^a]", "!", "\\*"];
const UNCLEAR = [
  "[!a]",
  "[",
  "]",
  "{",
  "}",
  "(",
  ")",
  "|",
  "+",
  "@(a|b)",
  "!(a)",
  '"',
  "..",
  "{a}",
  "{1..3}",
  "\\",
  "***",
  "$",
  "😀",
];
const NAMES = [
  "a",
  "b",
  "c",
  "ab",
  "ba",
  "A",
  ".x",
  "a.ts",
  "b.ts",
  "[ab]",
  "[a]",
  "!a",
  "a+",
  "(a)",
  "{a}",
  "*",
  "é",
  "😀",
  "a\nb",
  "..",
];

/** Globs with paths, most of which are made of the same parts. */
const cases = function* (seed: number, rounds: number, atoms: readonly string[]) {
  const pick = createPick(seed);
  const some = (all: readonly string[], most: readonly number[], between: string): string =>
    Array.from({ length: pick(most) }, () => pick(all)).join(between);
  for (let round = 0; round < rounds; round += 1) {
    const glob = some(atoms, [1, 2, 3, 4, 5, 6], "");
    const files = [glob, ...Array.from({ length: 15 }, () => some(NAMES, [1, 2, 3, 4], "/"))];
    yield { glob, files, anyCase: pick([true, false, false]) };
  }
};

/** Paths as they are judged: relative, and leading nowhere else. */
const isPlain = (file: string): boolean =>
  !/\n|^$/.test(file) && file.split("/").every((name) => !["", ".", ".."].includes(name));

describe.each([
  ["plain globs", PLAIN],
  ["tricky globs", [...PLAIN, ...TRICKY]],
  ["globs of all kinds", [...PLAIN, ...TRICKY, ...UNCLEAR]],
])("%s", (_, atoms) => {
  test("match nothing for a grant that picomatch does not match, and miss nothing for a ban that it does", () => {
    let matched = 0;
    const [wider, missed, different]: [unknown[], unknown[], unknown[]] = [[], [], []];
    for (const { glob, files, anyCase } of cases(7, 1_500, atoms)) {
      const isTheirs = picomatch(glob, { dot: true, nocase: anyCase });
      const isAllowed = createPathMatcher([glob], { anyCase });
      const isForbidden = createPathMatcher([glob], { anyCase, forbids: true });
      for (const file of files) {
        const theirs = isTheirs(file);
        if (isAllowed(file) && !theirs) wider.push({ glob, file, anyCase });
        if (isAllowed(file) && file !== glob) matched += 1;
        if (!isPlain(file)) continue;
        if (theirs && !isForbidden(file)) missed.push({ glob, file, anyCase });
        if (isPathGlob(glob) && isAllowed(file) !== theirs) different.push({ glob, file, anyCase });
      }
    }
    expect({ wider, missed, different }).toEqual({ wider: [], missed: [], different: [] });
    expect(matched).toBeGreaterThan(200);
  });
});

describe("a glob that is not the same to everybody", () => {
  test.each([
    // A class of "!" and "a" to some, and of everything but "a" to others.
    ["[!a]", "a"],
    ["@(a|b)", "a"],
    ["!(b)", "a"],
    ["(a)", "a"],
    ["d/a|b", "b"],
    ["[ab]+", "ab"],
    ["{a,b}+", "ab"],
    ["[[:alpha:]]", "a"],
    ["{1..3}", "2"],
    ['"a"', "a"],
    ["\\d", "1"],
    // At any depth to some, and a `*` to others.
    ["**.ts", "d/a.ts"],
    ["!!a", "a"],
    // More than are tried.
    ["{a,b}".repeat(10), "a".repeat(10)],
    ["[ab]".repeat(7), "a".repeat(7)],
  ])("%s matches nothing that is allowed, and all that is forbidden", (glob, file) => {
    expect(picomatch(glob, { dot: true })(file)).toBe(true);
    expect(isPathGlob(glob)).toBe(false);
    expect(createPathMatcher([glob])(file)).toBe(false);
    expect(createPathMatcher([glob], { forbids: true })(file)).toBe(true);
    expect(createPathMatcher([glob], { forbids: true })("other")).toBe(true);
  });

  test("still matches the path that it is", () => {
    expect(createPathMatcher(["app/(shop)/[...all]/page.tsx"])("app/(shop)/[...all]/page.tsx")).toBe(true);
  });
});

test.each([
  ["docs/**", "docs", true],
  ["docs/**", "docs/.hidden/a.md", true],
  ["*/**", "docs", false],
  ["docs/", "docs/a.md", false],
  ["/docs/**", "docs/a.md", false],
  ["./docs/*", "docs/a.md", true],
  ["Docs/*", "docs/a.md", false],
  ["app/[id]/**", "app/[id]/page.tsx", true],
  ["app/[id]/**", "app/d/page.tsx", true],
  ["app/\\(shop\\)/**", "app/(shop)/page.tsx", true],
  ["docs\\a.md", "docs/a.md", false],
  ["!docs/**", "src/a.ts", true],
  ["!docs/**", "docs/a.md", false],
  ["**", "a\nb", false],
  ["**", "", false],
  ["", "a", false],
])("for a grant, %j on %j is %s", (glob, file, expected) => {
  expect(createPathMatcher([glob])(file)).toBe(expected);
});

test("J4: a glob that would be catastrophic as a regular expression is answered", () => {
  const file = `${"a".repeat(5_000)}/${"a/".repeat(500)}c`;
  for (const forbids of [true, false]) {
    expect(createPathMatcher([`**/${"a*".repeat(90)}b`], { forbids })(file)).toBe(false);
    expect(createPathMatcher([`${"**/a*/".repeat(90)}b`], { forbids })(file)).toBe(false);
    expect(createPathMatcher([`${"{a,a*}".repeat(9)}b`], { forbids })(file)).toBe(false);
  }
});
