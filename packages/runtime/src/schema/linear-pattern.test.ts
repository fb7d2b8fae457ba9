import { describe, expect, test } from "vitest";
import { findSlowness } from "./linear-pattern.ts";
import type { PatternNode } from "./parse-pattern.ts";
import { END, parsePattern, START } from "./parse-pattern.ts";

describe("a pattern", () => {
  test.each([
    "^[a-z]+(-[a-z]+)*$",
    "^[a-z0-9-]{1,64}$",
    String.raw`^(src|test)/.*\.ts$`,
    String.raw`^\d{4}-\d{2}-\d{2}$`,
    String.raw`^v?\d+\.\d+\.\d+(?:-[\w.]+)?$`,
    "^(foo|foobar)$",
    "^#[0-9a-fA-F]{6}$",
    String.raw`^[^@\s]+@[^@\s]+$`,
    "[0-9]+",
    "^$",
    "abc",
    String.raw`^\S.*$`,
    "^(?<year>[0-9]{4})$",
    "^[+-]?[0-9]*[.]?$",
    String.raw`^"[^"\\]*(?:\\.[^"\\]*)*"$`,
    "^a{2,}b$",
    "^[A-Za-z_$][A-Za-z0-9_$]*$",
    String.raw`^(\/[^/]+)+$`,
    "(^|,)x$",
    "",
    "[]",
    "^[^]$",
    String.raw`^[\b\-\d\u0041-\x5a\cA-]+$`,
    "^a{x$",
  ])("J4 %s is shown to be searched in a time that grows with the text alone", (pattern) => {
    expect(findSlowness(pattern)).toBeNull();
  });

  test.each([
    "(a+)+$",
    "^(a+)+$",
    "^(a*)*$",
    "^(a|a)*$",
    "^(a|ab|b)*c$",
    "^(a?){25}a{25}$",
    "^(.*a){12}$",
    String.raw`^(\w+\s?)*$`,
    String.raw`^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+$`,
    String.raw`^\s*[\w\s]+$`,
    String.raw`^\S+@\S+\.\S+$`,
    "^.*.*.*=$",
    String.raw`\s+$`,
    "a+b",
    String.raw`x.*y.*z`,
    "(x+x+)+y",
    String.raw`^((ab)*)*$`,
    "^(a|b|ab)*$",
    "^(a|(a+)+b)*$",
    "^(|a|)+$",
    String.raw`\ba+\b!`,
  ])("J4 %s is refused: the same text can be matched in several ways", (pattern) => {
    expect(findSlowness(pattern)).toMatch(/in several ways/);
  });

  test.each([
    ["^(?=a)", "looks ahead"],
    ["^(?<!a)b", "looks ahead or behind"],
    [String.raw`^(a)\1$`, "reference to an earlier group"],
    [String.raw`^(?<n>a)\k<n>$`, "reference to an earlier group"],
    ["^a{5000}$", "too long"],
    ["^(?:a{1000}){1000}$", "too long"],
    ["^(?i:a)$", "flags of its own"],
  ])("J4 %s is refused, since nothing can be shown of it: %s", (pattern, why) => {
    expect(findSlowness(pattern)).toContain(why);
  });

  test("that is no regular expression throws", () => {
    expect(() => findSlowness("(")).toThrow(SyntaxError);
  });
});

/** Tries what a backtracking search tries, in its order, and counts the characters it looks at. */
const countSteps = (node: PatternNode, text: string, most: number): number => {
  let steps = 0;
  const step = (): void => {
    steps += 1;
    if (steps > most) throw new RangeError("too many steps");
  };
  const match = (one: PatternNode, at: number, next: (at: number) => boolean): boolean => {
    switch (one.type) {
      case "set": {
        if (one.ranges[0] === START) return at === 0 && next(at);
        if (one.ranges[0] === END) return at === text.length && next(at);
        step();
        const unit = text.charCodeAt(at);
        return at < text.length && one.ranges.some(([low, high]) => low <= unit && unit <= high) && next(at + 1);
      }
      case "either":
        return one.nodes.some((branch) => match(branch, at, next));
      case "sequence": {
        const from = (index: number, place: number): boolean => {
          const part = one.nodes[index];
          return part ? match(part, place, (then) => from(index + 1, then)) : next(place);
        };
        return from(0, at);
      }
      case "repeat": {
        const again = (times: number, place: number): boolean =>
          (times < one.max && match(one.node, place, (then) => (then > place || times < one.min) && again(times + 1, then))) ||
          (times >= one.min && next(place));
        return again(0, at);
      }
      default:
        return one satisfies never;
    }
  };
  try {
    for (let at = 0; at <= text.length; at += 1) if (match(node, at, () => true)) break;
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
  }
  return steps;
};

/** The same patterns for the same seed. */
const createPatterns = (seed: number): (() => string) => {
  let state = seed;
  const below = (most: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % most;
  };
  const pick = (choices: readonly string[]): string => choices[below(choices.length)] ?? "";
  const make = (depth: number): string => {
    switch (below(depth > 0 ? 5 : 1)) {
      case 1:
        return `(${make(depth - 1)}|${make(depth - 1)})`;
      case 2:
        return `(${make(depth - 1)})${pick(["*", "+", "?", "{2}", "{1,3}", "{2,}"])}`;
      case 3:
      case 4:
        return `${make(depth - 1)}${make(depth - 1)}`;
      default:
        return pick(["a", "b", "[ab]", ".", "a+", "b*", "c"]);
    }
  };
  return () => `${pick(["", "^"])}${make(3)}${pick(["", "$"])}`;
};

/** Where the counting stops. */
const MOST = 20_000;

describe("of 800 patterns at random", () => {
  const texts = ["a", "b", "ab", "aab", "abc"].flatMap((text) => {
    const long = text.repeat(Math.ceil(120 / text.length));
    return [long, `${long}!`];
  });
  const next = createPatterns(7);
  const patterns = Array.from({ length: 800 }, next);
  const steps = new Map(
    patterns.map((pattern) => {
      const { node } = parsePattern(pattern);
      return [pattern, Math.max(...texts.map((text) => countSteps(node, text, MOST)))] as const;
    }),
  );

  test("J4 those that are let through never take more steps than the text is long times the pattern", () => {
    const passed = [...steps].filter(([pattern]) => findSlowness(pattern) === null);
    expect(passed.length).toBeGreaterThan(150);
    // A pattern of them has 100 states at most, and each is tried once at each place.
    for (const [pattern, taken] of passed) expect(taken, pattern).toBeLessThan(122 * 100);
  });

  test("J4 those that take far more are refused, and there are such", () => {
    const slow = [...steps].filter(([, taken]) => taken >= MOST);
    expect(slow.length).toBeGreaterThan(30);
    for (const [pattern] of slow) expect(findSlowness(pattern), pattern).not.toBeNull();
  });
});
