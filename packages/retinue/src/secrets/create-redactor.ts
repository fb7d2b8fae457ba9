/**
 * Known secrets never reach a record or an output: they are replaced by their names wherever they stand, however they are spelled, also where
 * they are split over lines or chunks.
 */
import type { Redactor } from "@retinue/runtime";
import type { Matcher } from "./create-matcher.ts";
import { createMatcher } from "./create-matcher.ts";
import type { Secret } from "./secret.ts";
import { REDACTED, toMark } from "./secret.ts";
import { toSpellings } from "./spellings.ts";
import { squeeze, withoutHalfLineEnd } from "./squeeze.ts";

/** One without a name is just `[redacted]`. */
export type KnownSecret = string | Secret;

type Marks = ReadonlyMap<string, string>;

/** `secrets` as they are; every other spelling of them is found too. */
export const createRedactor = (secrets: readonly KnownSecret[]): Redactor => {
  const marks = new Map<string, string>();
  for (const secret of secrets) {
    const mark = typeof secret === "string" ? REDACTED : toMark(secret.name);
    for (const spelling of toSpellings(typeof secret === "string" ? secret : secret.value)) {
      const { text } = squeeze(spelling);
      if (!marks.has(text)) marks.set(text, mark);
    }
  }
  const matcher = createMatcher([...marks.keys()]);
  if (!matcher) return { text: (text) => text, stream: () => ({ push: (chunk) => chunk, end: () => "" }) };
  const written = new Set(marks.values());
  return {
    text: (text) => redact(text, matcher, marks),
    stream: () => createStream(matcher, marks),
    findMark: (text) => text.match(MARK)?.find((mark) => written.has(mark)),
  };
};

const MARK = /\[redacted(?::[\w.-]{1,64})?\]/g;

const redact = (text: string, { find }: Matcher, marks: Marks): string => {
  const squeezed = squeeze(text);
  let match = find(squeezed.text, 0);
  if (!match) return text;
  let done = "";
  let from = 0;
  for (; match; match = find(squeezed.text, match.end)) {
    done += text.slice(from, squeezed.originalStart(match.start)) + (marks.get(match.pattern) ?? REDACTED);
    from = squeezed.originalEnd(match.end);
  }
  return done + text.slice(from);
};

const createStream = (matcher: Matcher, marks: Marks): ReturnType<Redactor["stream"]> => {
  let held = "";
  return {
    push: (chunk) => {
      const text = held + chunk;
      const squeezed = squeeze(text);
      const whole = squeeze(withoutHalfLineEnd(text)).text;
      /** Where what may become a secret begins, at this place or later. */
      const openFrom = (from: number): number => {
        const open = from <= whole.length ? matcher.openTail(whole, from) : whole.length;
        return open < whole.length ? open : matcher.openTail(squeezed.text, from);
      };
      let done = "";
      let from = 0;
      let end = 0;
      let open = openFrom(0);
      for (let match = matcher.find(squeezed.text, 0); match && match.start < open; match = matcher.find(squeezed.text, end)) {
        done += text.slice(from, squeezed.originalStart(match.start)) + (marks.get(match.pattern) ?? REDACTED);
        end = match.end;
        from = squeezed.originalEnd(end);
        open = openFrom(end);
      }
      const holdFrom = Math.max(from, squeezed.originalStart(open));
      held = text.slice(holdFrom);
      return done + text.slice(from, holdFrom);
    },
    end: () => {
      const rest = redact(held, matcher, marks);
      held = "";
      return rest;
    },
  };
};
