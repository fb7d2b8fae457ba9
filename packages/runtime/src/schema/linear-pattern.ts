/**
 * Tells of a regular expression whether a search with it always ends soon. The expression becomes an automaton whose states are its
 * characters; as long as no text leads to one state in two ways, a search never tries more than each state once at each place of the text.
 * Whatever cannot be shown to be so is refused, since patterns may come from strangers.
 */
import { RetinueError } from "@retinue/protocol";
import type { PatternNode, Range } from "./parse-pattern.ts";
import { ANY, parsePattern, START } from "./parse-pattern.ts";

/** Of a part of the expression: where its matches begin and end, and whether it matches nothing too. */
type Part = { readonly isNullable: boolean; readonly first: readonly number[]; readonly last: readonly number[] };

type Automaton = { readonly labels: (readonly Range[])[]; readonly follow: Map<number, Set<number>> };

const MOST_STATES = 2_000;
const MOST_STEPS = 200_000;

const NOTHING: Part = { isNullable: true, first: [], last: [] };

/** Why a search with the pattern could take long, or null where it cannot. Throws for what is no regular expression. */
export const findSlowness = (pattern: string): string | null => {
  try {
    const { node, hasWordEdges } = parsePattern(new RegExp(pattern).source);
    return hasTwoWays(createAutomaton(node, hasWordEdges)) ? AMBIGUOUS : null;
  } catch (thrown) {
    if (thrown instanceof RetinueError && thrown.code === "pattern_slow") return thrown.message;
    throw thrown;
  }
};

const TOO_LONG = "it is too long for us to show that a search with it ends soon";
const AMBIGUOUS = "it can match the same text in several ways, so that a search may try very many of them";

const unproven = (why: string): RetinueError => new RetinueError("pattern_slow", why);

/** State 0 is where a search begins, state 1 what it passes over before a match. */
const BEGIN = 0;
const PASSED = 1;

const createAutomaton = (node: PatternNode, hasWordEdges: boolean): Automaton => {
  const automaton: Automaton = { labels: [[], [START, ...ANY]], follow: new Map() };
  const whole = build(node, automaton);
  connect(automaton, [BEGIN], [PASSED]);
  // What matches nothing too is found where the text begins, so that no other place is tried.
  if (!whole.isNullable) connect(automaton, [PASSED], [PASSED]);
  const isStart = (state: number): boolean => automaton.labels[state]?.[0] === START;
  connect(
    automaton,
    [PASSED],
    whole.first.filter((state) => !isStart(state)),
  );
  connect(automaton, [BEGIN], whole.first.filter(isStart));
  // A match that needs nothing more is found: what would follow is not looked at again.
  if (!hasWordEdges) for (const state of whole.last) automaton.follow.delete(state);
  return automaton;
};

const connect = ({ follow }: Automaton, from: readonly number[], to: readonly number[]): void => {
  for (const state of from) {
    const next = follow.get(state) ?? new Set();
    follow.set(state, next);
    for (const one of to) {
      if (next.has(one)) throw unproven(AMBIGUOUS);
      next.add(one);
    }
  }
};

const build = (node: PatternNode, automaton: Automaton): Part => {
  switch (node.type) {
    case "set": {
      const state = automaton.labels.push(node.ranges) - 1;
      if (state > MOST_STATES) throw unproven(TOO_LONG);
      return { isNullable: false, first: [state], last: [state] };
    }
    case "either":
      return node.nodes.map((one) => build(one, automaton)).reduce(either);
    case "sequence":
      return node.nodes.map((one) => build(one, automaton)).reduce((a, b) => sequence(a, b, automaton), NOTHING);
    case "repeat":
      return repeat(node, automaton);
    default:
      return node satisfies never;
  }
};

const either = (a: Part, b: Part): Part => {
  if (a.isNullable && b.isNullable) throw unproven(AMBIGUOUS);
  return { isNullable: a.isNullable || b.isNullable, first: [...a.first, ...b.first], last: [...a.last, ...b.last] };
};

const sequence = (a: Part, b: Part, automaton: Automaton): Part => {
  connect(automaton, a.last, b.first);
  return {
    isNullable: a.isNullable && b.isNullable,
    first: a.isNullable ? [...a.first, ...b.first] : a.first,
    last: b.isNullable ? [...a.last, ...b.last] : b.last,
  };
};

/** `x{2,4}` is `xx(x(x)?)?`, and `x{2,}` is `x(x)+` where the last one comes again. */
const repeat = ({ node, min, max }: PatternNode & { readonly type: "repeat" }, automaton: Automaton): Part => {
  if (max === 0) return NOTHING;
  if (Math.max(min, max === Infinity ? 1 : max) > MOST_STATES) throw unproven(TOO_LONG);
  const parts = Array.from({ length: max === Infinity ? Math.max(1, min) : max }, () => build(node, automaton));
  if ((max > 1 || min === 0) && parts.some(({ isNullable }) => isNullable)) throw unproven(AMBIGUOUS);
  const tail = parts.at(-1);
  if (max === Infinity && tail) connect(automaton, tail.last, tail.first);
  return parts.reduceRight<Part>((rest, part, at) => {
    const both = sequence(part, rest, automaton);
    return at >= min ? { ...both, isNullable: true } : both;
  }, NOTHING);
};

/** Whether some text leads from the beginning to one state in two ways: looks at all pairs of states that one text can lead to. */
const hasTwoWays = ({ labels, follow }: Automaton): boolean => {
  const seen = new Set<number>();
  const open: (readonly [number, number])[] = [[BEGIN, BEGIN]];
  let steps = 0;
  for (let pair = open.pop(); pair; pair = open.pop()) {
    const [a, b] = pair;
    for (const x of follow.get(a) ?? [])
      for (const y of follow.get(b) ?? []) {
        steps += 1;
        if (steps > MOST_STEPS) throw unproven("it has too many branches for us to show that a search with it ends soon");
        if (x === y && a !== b) return true;
        const key = Math.min(x, y) * labels.length + Math.max(x, y);
        if (seen.has(key) || !overlap(labels[x] ?? [], labels[y] ?? [])) continue;
        seen.add(key);
        open.push([x, y]);
      }
  }
  return false;
};

const overlap = (a: readonly Range[], b: readonly Range[]): boolean =>
  a.some(([low, high]) => b.some(([from, to]) => low <= to && from <= high));
